#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a training job on SageMaker: an example to copy and change.

Needs boto3 and credentials, and the image of scripts/sagemaker/Dockerfile in
your registry. Channels, hyperparameters and metrics are those of README.md.
"""
import argparse
import time

import boto3

METRICS = ["train_loss", "learning_rate", "tokens_per_second",
           "validation_loss", "validation_accuracy", "validation_f1_macro",
           "test_accuracy", "test_f1_macro"]


def channel(name, uri):
    return {"ChannelName": name, "InputMode": "File",
            "DataSource": {"S3DataSource": {
                "S3DataType": "S3Prefix", "S3Uri": uri,
                "S3DataDistributionType": "FullyReplicated"}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", required=True, help="URI in your registry")
    parser.add_argument("--role", required=True, help="ARN")
    parser.add_argument("--bucket", required=True, help="s3://BUCKET/PREFIX")
    parser.add_argument("--channels", nargs="+", default=[
        "train", "validation", "model", "config"],
        help="folders below BUCKET/PREFIX/input")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE",
                        help="hyperparameters")
    parser.add_argument("--instance", default="ml.c7i.8xlarge")
    parser.add_argument("--hosts", type=int, default=1)
    arguments = parser.parse_args()

    name = time.strftime("longformer-%Y%m%d-%H%M%S")
    boto3.client("sagemaker").create_training_job(
        TrainingJobName=name,
        RoleArn=arguments.role,
        AlgorithmSpecification={
            "TrainingImage": arguments.image, "TrainingInputMode": "File",
            "MetricDefinitions": [
                {"Name": metric, "Regex": f"metric {metric}=([-0-9.]+)"}
                for metric in METRICS]},
        # Every value is a text.
        HyperParameters=dict(pair.split("=", 1) for pair in arguments.set),
        InputDataConfig=[
            channel(folder, f"{arguments.bucket}/input/{folder}")
            for folder in arguments.channels],
        OutputDataConfig={"S3OutputPath": f"{arguments.bucket}/output"},
        ResourceConfig={"InstanceType": arguments.instance,
                        "InstanceCount": arguments.hosts,
                        "VolumeSizeInGB": 100},
        # Spot instances: an interrupted job goes on from its checkpoints.
        EnableManagedSpotTraining=True,
        CheckpointConfig={"S3Uri": f"{arguments.bucket}/checkpoints/{name}"},
        StoppingCondition={"MaxRuntimeInSeconds": 24 * 3600,
                           "MaxWaitTimeInSeconds": 48 * 3600})
    print(name)


if __name__ == "__main__":
    main()
