"""What several tests use of the modules of logs: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.logs.archives import Archive
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, json_in, wrong_log
from outscore.wings.logs.checking import checked, inventory_of
from outscore.wings.logs.finding import NamedLog, are_logs, distinctions, named_by_files
from outscore.wings.logs.finding import logs_in as logs_found
from outscore.wings.logs.harnesses.inspect import Inspect, log_of_object, logs_of_frame
from outscore.wings.logs.registry import LOG_FORMATS, format_of_log, log_formats
