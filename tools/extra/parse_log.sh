#!/bin/sh
# parse_log.sh LOG: writes LOG's name with .test (#Iters Seconds TestAccuracy TestLoss) and .train (#Iters Seconds TrainingLoss
# LearningRate) to the working folder.
if [ "$#" -lt 1 ]; then
    echo "Usage parse_log.sh /path/to/your.log"
    exit
fi
exec "$(dirname "$0")/../caffepy" parse_log -columns "$1"
