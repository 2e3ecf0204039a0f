"""What commands write, put together."""

from bot.risk.shell_parser import MOST_SOURCE, Call, Stream, Word

UNSEEN = Stream()


def origin(word: Word) -> tuple[Call | None, bool]:
    return (word.source.maker, word.source.downloaded) if word.source else (None, False)


def together(first: Stream, second: Stream) -> Stream:
    """Join what two commands write one after the other."""
    if first.text is not None and second.text is not None and len(first.text) + len(second.text) <= MOST_SOURCE:
        return Stream(first.text + second.text, second.maker or first.maker, decoded=first.decoded or second.decoded)
    unknown = second if second.text is None else first
    downloaded = first if first.downloaded else second
    maker = (downloaded if downloaded.downloaded else unknown).maker
    return Stream(None, maker, downloaded.downloaded, first.endless or second.endless)


def either(first: Stream, second: Stream) -> Stream:
    return first if first == second else together(first, second)
