"""The REST API that the bot calls: routes, bodies, rate limits and planned faults."""
