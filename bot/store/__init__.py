"""The state file: everything that must survive a crash of the bot."""

from bot.store.conversations import ConversationTables
from bot.store.expired_rows import Expiry
from bot.store.inbox import InboxTable
from bot.store.project_overview import Overview
from bot.store.rules import RuleTable
from bot.store.sent_messages import SentMessageTable
from bot.store.settings import SettingsTables
from bot.store.tickets import TicketTable

FILE_NAME = "state.sqlite3"


class Store(ConversationTables, TicketTable, RuleTable, SentMessageTable, InboxTable, SettingsTables, Overview, Expiry):
    """All tables in one file, so that they are always consistent with each other."""
