"""What the owner of this machine asks the running bot from the terminal."""
