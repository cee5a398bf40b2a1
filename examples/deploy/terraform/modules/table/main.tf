# The table, once for all consumers of an application, in one Region, and the topic of all alarms.

variable "name" {
  type        = string
  default     = "lineclear"
  description = "The name that handlers give to dynamoDbStore."
}

variable "alarm_email" {
  type        = string
  description = "Gets every alarm, once its owner has confirmed the subscription."
}

locals {
  # On the command line, for a table with a name of its own.
  of_table = var.name == "lineclear" ? "" : " --table ${var.name}"
}

resource "aws_dynamodb_table" "table" {
  name                        = var.name
  billing_mode                = "PAY_PER_REQUEST"
  deletion_protection_enabled = true
  hash_key                    = "pk"
  range_key                   = "sk"

  attribute {
    name = "pk"
    type = "S"
  }
  attribute {
    name = "sk"
    type = "S"
  }
  attribute {
    name = "statusShard"
    type = "S"
  }
  attribute {
    name = "dueAt"
    type = "N"
  }

  # Sparse: items at their end leave it. Sharded: a hot index would throttle the table.
  global_secondary_index {
    name               = "byStatus"
    hash_key           = "statusShard"
    range_key          = "dueAt"
    projection_type    = "INCLUDE"
    non_key_attributes = ["status", "lockedBy", "created", "expectedCompletion", "attempt"]
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }
  point_in_time_recovery {
    enabled = true
  }
  server_side_encryption {
    enabled = true
  }
}

resource "aws_sns_topic" "alarms" {
  name = "${var.name}-alarms"
}

resource "aws_sns_topic_subscription" "alarms" {
  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}

resource "aws_cloudwatch_metric_alarm" "read_throttles" {
  alarm_name        = "${var.name}-read-throttles"
  alarm_description = "DynamoDB throttles: a key or shard is hot, or the account is at its limit. Next: lineclear status${local.of_table}"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName = aws_dynamodb_table.table.name
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "write_throttles" {
  alarm_name        = "${var.name}-write-throttles"
  alarm_description = "DynamoDB throttles: a key or shard is hot, or the account is at its limit. Next: lineclear status${local.of_table}"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName = aws_dynamodb_table.table.name
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "index_throttles" {
  alarm_name        = "${var.name}-index-throttles"
  alarm_description = "DynamoDB throttles: a key or shard is hot, or the account is at its limit. Next: lineclear status${local.of_table}"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.table.name
    GlobalSecondaryIndexName = "byStatus"
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

output "table" {
  value = { name = aws_dynamodb_table.table.name, arn = aws_dynamodb_table.table.arn }
}

output "alarm_topic_arn" {
  value = aws_sns_topic.alarms.arn
}
