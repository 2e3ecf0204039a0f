"""Records a response to a click, which changes a message without going through `ThreadChannel`."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.discord.outgoing.message_digest import digest
from bot.discord.outgoing.message_sender import SentMessages
from bot.messages import Message
from bot.sent_message import AnsweringClick, Editing, InDoubt, Sending, SentMessage, Standing


@contextmanager
def answering_click(store: SentMessages, view: str, channel: int, message: int, content: Message) -> Iterator[None]:
    """Record that the block responds to a click with this content for the clicked message.

    If the block fails, the message is in doubt and is edited the next time its view is shown.
    """
    new_digest = digest(content)
    before = next((sent.state for sent in store.sent_in(view) if sent.key == content.key), None)
    answer = SentMessage(view, content.key, channel, AnsweringClick(message, new_digest))
    store.save_sent(answer)
    try:
        yield
    except BaseException:
        store.save_sent(answer.becomes(InDoubt(message)))
        raise
    if not isinstance(before, Sending | Editing):  # else it is unclear which came last, so the channel edits it again
        store.replace_sent(answer, Standing(message, new_digest))
