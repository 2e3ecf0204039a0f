"""The endpoint's responses: JSON, and one sentence for an error."""

from aiohttp import web


def json_response(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, content_type="application/json", status=status)


def refusal(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
