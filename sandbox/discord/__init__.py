"""A Discord on loopback: its REST API, its gateway, its limits, and people who sit in front of it."""

from sandbox.discord.entities import Channel, Guild, Member, Message, Permission, Role, Upload, User
from sandbox.discord.faults import Drop, Fail, Slow
from sandbox.discord.modal import Modal
from sandbox.discord.person import Answer, Person
from sandbox.discord.rest import Recorded
from sandbox.discord.server import Discord, Pace, serve
from sandbox.discord.waiting import PersonCannotError, Unseen
from sandbox.discord.world import Change, World

__all__ = [
    "Answer",
    "Change",
    "Channel",
    "Discord",
    "Drop",
    "Fail",
    "Guild",
    "Member",
    "Message",
    "Modal",
    "Pace",
    "Permission",
    "Person",
    "PersonCannotError",
    "Recorded",
    "Role",
    "Slow",
    "Unseen",
    "Upload",
    "User",
    "World",
    "serve",
]
