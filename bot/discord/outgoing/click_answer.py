"""Records a response to a click, which changes a message without going through `ThreadChannel`."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.discord.outgoing.message_digest import digest
from bot.discord.outgoing.message_sender import SentMessages
from bot.messages import Message
from bot.sent_message import AnsweringClick, Editing, InDoubt, Sending, SentMessage, Standing


class UnclearOrder(Exception):  # noqa: N818 - what happened, as in the rest of the tree
    """The message was changed in another way at the same time, and it is unclear which change came last."""


@contextmanager
def answering_click(store: SentMessages, view: str, channel: int, message: int, content: Message) -> Iterator[None]:
    """Record that the block responds to a click with this content for the clicked message.

    If the block fails, the message is in doubt and is edited the next time its view is shown. The same is true if it
    was changed in another way at the same time; then this raises UnclearOrder.
    """
    new_digest = digest(content)
    before = _record(store, view, content.key)
    answer = SentMessage(view, content.key, channel, AnsweringClick(message, new_digest))
    store.save_sent(answer)
    try:
        yield
    except BaseException:
        store.save_sent(answer.becomes(InDoubt(message)))
        raise
    overlaps = before is not None and isinstance(before.state, Sending | Editing | AnsweringClick)
    if not overlaps and store.replace_sent(answer, Standing(message, new_digest)):
        return
    now = _record(store, view, content.key)
    if now is not None and now.message == message:  # else the card was sent again, as another message
        store.save_sent(answer.becomes(InDoubt(message)))
        raise UnclearOrder


def _record(store: SentMessages, view: str, key: str) -> SentMessage | None:
    return next((sent for sent in store.sent_in(view) if sent.key == key), None)
