"""Sets the bot up (`init`, `service`) and finds problems with a setup (`doctor`)."""
