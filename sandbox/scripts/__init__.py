"""Scripts, which say what a scripted Claude does; the tour is made of them."""
