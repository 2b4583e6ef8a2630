"""What a server counts, in the text form of Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

__all__ = ["Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of one server. Labels have few values: routes, statuses, names of families."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "reasonenv_requests", "Requests that were answered.", ["route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "reasonenv_request_seconds", "Time to an answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self.verdicts = Counter(
            "reasonenv_verdicts", "Completions that were judged.", ["judge", "passed"], registry=registry
        )
        self.steps = Counter("reasonenv_steps", "Steps of environments.", registry=registry)
        self.in_flight = Gauge("reasonenv_requests_in_flight", "Requests being answered.", registry=registry)
        self.buffered = Gauge("reasonenv_buffered_bytes", "Bytes of bodies that are held.", registry=registry)
        self.sessions = Gauge("reasonenv_sessions", "Sessions that are open.", registry=registry)
        self.expired = Counter("reasonenv_sessions_expired", "Sessions closed as idle.", registry=registry)

    def text(self) -> bytes:
        """All of them."""
        return generate_latest(self.registry)
