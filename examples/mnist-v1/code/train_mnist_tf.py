"""Train a network on handwritten digits with TensorFlow: a boot file for the first version of the API."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # what goes wrong is raised
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # the same figures on every machine

import mnist_story
import numpy as np
import tensorflow as tf


class Network:
    """One hidden layer of rectified units, trained by Adam."""

    def __init__(self, hidden: int, rate: float) -> None:
        self.model = tf.keras.Sequential(
            [
                tf.keras.Input((mnist_story.SIDE, mnist_story.SIDE)),
                tf.keras.layers.Flatten(),
                tf.keras.layers.Dense(hidden, activation="relu"),
                tf.keras.layers.Dense(mnist_story.CLASSES),
            ]
        )
        self.optimizer = tf.keras.optimizers.Adam(rate)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.compiled_step = tf.function(self.learn, reduce_retracing=True)

    def learn(self, images: tf.Tensor, digits: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = self.loss(digits, self.model(images, training=True))
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def step(self, images: np.ndarray, digits: np.ndarray) -> float:
        return float(self.compiled_step(tf.constant(images), tf.constant(digits)))

    def accuracy(self, images: np.ndarray, digits: np.ndarray) -> float:
        return float((self.model(images).numpy().argmax(axis=1) == digits).mean())

    def weights(self) -> dict[str, np.ndarray]:
        names = ("hidden_weight", "hidden_bias", "output_weight", "output_bias")
        return dict(zip(names, self.model.get_weights(), strict=True))

    def export(self, folder: Path) -> None:
        """Write a SavedModel, which TensorFlow Serving loads."""
        tf.saved_model.save(self.model, str(folder))


class Summaries:
    """Event files of TensorFlow."""

    def __init__(self, folder: Path) -> None:
        self.writer = tf.summary.create_file_writer(str(folder))

    def add(self, epoch: int, **values: float) -> None:
        with self.writer.as_default(step=epoch):
            for name, value in values.items():
                tf.summary.scalar(name, value)
        self.writer.flush()


def main() -> None:
    given = mnist_story.arguments()
    print(f"TensorFlow {tf.__version__}", flush=True)
    tf.keras.utils.set_random_seed(given.seed)
    mnist_story.train(given, Network(given.hidden, given.lr), Summaries)


if __name__ == "__main__":
    main()
