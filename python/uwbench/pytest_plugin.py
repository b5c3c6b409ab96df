"""The pytest fixture `uwbench`: runs the gate on a watermark and fails the test with the counterexample.

    def test_mine(uwbench):
        uwbench.check(my_processor)
"""

import pytest


class Gate:
    """What the fixture gives: `check` as in uwbench.gate."""

    @staticmethod
    def check(*args, **options):
        __tracebackhide__ = True
        from . import gate

        try:
            return gate.check(*args, **options)
        except gate.GateFailure as failure:
            message = str(failure)
        except gate.GateError as error:
            message = f"the gate could not run: {error}"
        pytest.fail(message, pytrace=False)


@pytest.fixture
def uwbench():
    """The gate of uwbench."""
    return Gate()
