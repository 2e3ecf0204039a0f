"""What a newcomer is shown, by an agent that needs no account."""

from sandbox.playbook import FINISHED, Playbook
from sandbox.script import Say, script

TOUR = Playbook(FINISHED, script([Say("Hello.")]))
