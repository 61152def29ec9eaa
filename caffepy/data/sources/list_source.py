"""The common part of sources whose records are files named in a list."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from caffepy import log
from caffepy.data import image_file, opencv
from caffepy.data.image_file import Bottom
from caffepy.data.list_files import Entry, Pair, Video
from caffepy.data.opencv import Pixels
from caffepy.data.order import Order
from caffepy.data.random import Mt19937
from caffepy.data.shard import Shard
from caffepy.data.source import Source, State, size_error
from caffepy.data.transformer import RandomStream, Transformer
from caffepy.data.workers import Workers
from caffepy.errors import DataError
from caffepy.proto import caffe_pb2

Item = TypeVar("Item", Entry, Pair, Video)
Result = TypeVar("Result")
ListParameter: TypeAlias = (
    caffe_pb2.ImageDataParameter | caffe_pb2.DenseImageDataParameter | caffe_pb2.VideoDataParameter
)

MOST_VALUES = 2**31 - 1
"""Most values of a blob, as in Caffe."""


class ListSource(Source, Generic[Item]):
    """Items of a list in its order, or shuffled for each pass.

    ``place``: Caffe's file in log lines.
    """

    place: str
    _param: ListParameter
    items = "images"
    """What the log calls them."""

    def __init__(self, data: ListParameter, transformer: Transformer, shard: Shard) -> None:
        """``data``: the message with source, batch_size, new_height, new_width, ....

        DataError if the list cannot be read.
        """
        super().__init__(shard)
        self._param = data
        self._transformer = transformer
        if (data.new_height > 0) != (data.new_width > 0):
            raise DataError(
                "Current implementation requires new_height and new_width to be set at the"
                " same time."
            )
        if data.batch_size == 0:
            raise DataError(f"{data.DESCRIPTOR.name}: batch_size is 0; needed: at least 1")
        self._batch_size = int(data.batch_size)
        self._root = os.fsencode(data.root_folder)
        log.info(f"{self.place}:38", f"Opening file {data.source}")
        self._entries: Sequence[Item] = self._list()
        log.info(f"{self.place}:63", f"A total of {len(self._entries)} {self.items}.")
        shard.check(len(self._entries), data.source)
        self._order = Order(len(self._entries), shard)
        self._workers = Workers()

    @abstractmethod
    def _list(self) -> Sequence[Item]:
        """Read the items of the list."""

    def seed(self, stream: RandomStream) -> None:
        """Draw Caffe's seeds in their order.

        These are the transformer's, those of shuffle and rand_skip, the transformer's again, and
        that of the reading thread.
        """
        self._transformer.seed(stream, self.shard.rank)
        self._order = self._new_order(stream)
        largest_skip = int(getattr(self._param, "rand_skip", 0))  # VideoData has no such field
        if largest_skip:
            skip = self.shard.agree(int(stream.raw(1)[0])) % largest_skip
            log.info(f"{self.place}:70", f"Skipping first {skip} data points.")
            if skip >= len(self._entries):
                raise DataError(
                    f"Not enough points to skip: rand_skip drew {skip}, '{self._param.source}'"
                    f" has {len(self._entries)} images"
                )
            self._order.skip(skip)
        self._transformer.seed(stream, self.shard.rank)
        self._seed_thread(int(stream.raw(1)[0]))

    @property
    def records(self) -> int:
        return len(self._entries)

    def _new_order(self, stream: RandomStream) -> Order:
        """The list's order, or one shuffled by a seed from the stream."""
        order = Order(len(self._entries), self.shard)
        if self._param.shuffle:
            log.info(f"{self.place}:52", "Shuffling data")
            order.shuffle(Mt19937(self.shard.agree(int(stream.raw(1)[0]))))
        return order

    def _seed_thread(self, seed: int) -> None:
        """Take the seed of Caffe's reading thread; a source that needs it overrides this."""

    def _take(self) -> list[Item]:
        """This rank's next items."""
        return [self._entries[i] for i in self._order.take(self._batch_size)]

    def _read(
        self,
        name: bytes,
        color: bool,
        *,
        smaller: int = 1,
        nearest: bool = False,
        bottom: Bottom | None = None,
    ) -> Pixels:
        """An image file, (H, W) or (H, W, 3).

        Its size is new_height and new_width, divided by ``smaller``. Where they are not given,
        rows from ``bottom`` on may be undefined.
        """
        path = self._root + name
        data = self._param
        image = image_file.read(
            path,
            color,
            height=int(data.new_height) // smaller,
            width=int(data.new_width) // smaller,
            nearest=nearest,
            bottom=bottom,
        )
        if image is None:
            raise DataError(f"Could not load {os.fsdecode(path)}: {opencv.why_unreadable(path)}")
        return image

    def _locate_errors(self, item: Item, work: Callable[[], Result]) -> Result:
        """The result of ``work`` on an item.  A DataError names its line."""
        try:
            return work()
        except DataError as error:
            raise DataError(
                f"'{self._param.source}', line {item.line + 1} ('{os.fsdecode(item.name)}'):"
                f" {error}"
            ) from error

    def state(self) -> State:
        return {"order": self._order.state(), "random": self._transformer.state()}

    def restore(self, state: State) -> None:
        order = state["order"]
        # the list may have been shuffled when it was saved
        self._order.restore(order if self._param.shuffle else {"passed": order["passed"]})
        self._transformer.restore(state["random"])

    def close(self) -> None:
        self._workers.close()


def check_size_in_batch(shape: Sequence[int], needed: Sequence[int]) -> None:
    """DataError unless an image has the size of its batch."""
    if tuple(shape) != tuple(needed):
        raise size_error(shape, needed, "new_height and new_width, a crop_size")
