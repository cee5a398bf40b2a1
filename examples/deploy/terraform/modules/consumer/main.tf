# A consumer: queue, dead letters, function, event source mapping, role and alarms. Its queue is always a new one.

variable "name" {
  type        = string
  description = "The name of its handler in recordHandler, or of its stage, by which metrics and tags know it."
}

variable "flow" {
  type        = string
  default     = null
  description = "The name of the flow that it is a stage of."
}

variable "package" {
  type        = string
  description = "The zip file of the bundled handler."
}

variable "table" {
  type        = object({ name = string, arn = string })
  description = "The output table of the module table."
}

variable "alarms_to" {
  type        = string
  description = "The ARN of the topic that alarms go to."
}

variable "handler" {
  type    = string
  default = "index.handler"
}

variable "timeout" {
  type        = number
  default     = 30
  description = "Seconds. The visibility timeout of the queue is six times that."
}

variable "memory_size" {
  type    = number
  default = 512
}

variable "environment" {
  type    = map(string)
  default = {}
}

variable "dependencies" {
  type        = list(string)
  default     = []
  description = "Outside systems that it calls, such as payments: by this tag everything that shares one can be paused."
}

variable "batch_size" {
  type    = number
  default = 10
}

variable "max_concurrency" {
  type        = number
  default     = 10
  description = "Most invocations at once: what your tables and providers bear."
  validation {
    condition     = var.max_concurrency >= 2 && var.max_concurrency <= 1000
    error_message = "max_concurrency: expected 2 to 1,000."
  }
}

variable "max_receive_count" {
  type    = number
  default = 10
  validation {
    condition     = var.max_receive_count >= 10
    error_message = "max_receive_count: expected 10 or more, because deferrals count as receives."
  }
}

variable "topics" {
  type        = map(string)
  default     = {}
  description = "ARNs of standard topics that the queue is subscribed to, by a name of your choice."
}

variable "sends_to" {
  type        = list(string)
  default     = []
  description = "ARNs of queues that its handler sends to, besides its own."
}

variable "also_keys" {
  type        = list(string)
  default     = []
  description = "Partition keys of other items that its handler touches: later#* with delays or failures, circuits with a circuit breaker, lock#FORMER/* of a former name, lock#FLOW.STEP/* of an awaited step with onLate, key#NAME/* and key#NAME@* of idempotent."
}

variable "policies" {
  type        = list(string)
  default     = []
  description = "JSON of what its handler may do besides, such as dynamodb:UpdateItem on your tables."
}

locals {
  name       = var.flow == null ? var.name : "${var.flow}-${var.name}"
  function   = "${var.table.name}-${local.name}"
  reports_as = var.flow == null ? tomap({ consumer = var.name }) : tomap({ flow = var.flow, stage = var.name })
  # Partition keys of its own items in Lineclear's table.
  own_keys = var.flow == null ? ["lock#${var.name}/*"] : ["flow#${var.flow}/*", "await#${var.flow}/*"]
  # What names it on the command line.
  flag = var.flow == null ? "--consumer ${var.name}" : "--flow ${var.flow}"
  # The same, for a table with a name of its own.
  of_table = var.table.name == "lineclear" ? "" : " --table ${var.table.name}"
  # By these lineclear pause finds it.
  tags = merge(
    { for key, value in local.reports_as : "lineclear:${key}" => value },
    length(var.dependencies) > 0 ? { "lineclear:dependency" = join(" ", var.dependencies) } : {},
  )
}

# Named apart from their policies, which name each other's queue.
resource "aws_sqs_queue" "queue" {
  name                       = local.function
  visibility_timeout_seconds = 6 * var.timeout
  message_retention_seconds  = 345600
  sqs_managed_sse_enabled    = true
  tags                       = local.tags
}

# 14 days, the most that SQS keeps: the age of a dead letter counts from its first queue.
resource "aws_sqs_queue" "dead_letters" {
  name                      = "${local.function}-dead-letters"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
  tags                      = local.tags
}

resource "aws_sqs_queue_redrive_policy" "queue" {
  queue_url = aws_sqs_queue.queue.id
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters.arn
    maxReceiveCount     = var.max_receive_count
  })
}

resource "aws_sqs_queue_redrive_allow_policy" "dead_letters" {
  queue_url = aws_sqs_queue.dead_letters.id
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.queue.arn]
  })
}

resource "aws_sqs_queue_policy" "queue" {
  queue_url = aws_sqs_queue.queue.id
  policy    = data.aws_iam_policy_document.queue.json
}

data "aws_iam_policy_document" "queue" {
  statement {
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.queue.arn]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
  dynamic "statement" {
    for_each = var.topics
    content {
      actions   = ["sqs:SendMessage"]
      resources = [aws_sqs_queue.queue.arn]
      principals {
        type        = "Service"
        identifiers = ["sns.amazonaws.com"]
      }
      condition {
        test     = "ArnEquals"
        variable = "aws:SourceArn"
        values   = [statement.value]
      }
    }
  }
}

resource "aws_sqs_queue_policy" "dead_letters" {
  queue_url = aws_sqs_queue.dead_letters.id
  policy    = data.aws_iam_policy_document.dead_letters.json
}

data "aws_iam_policy_document" "dead_letters" {
  statement {
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.dead_letters.arn]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

# Wrapped, because raw delivery takes away the SNS message id, which is the identity of the request.
resource "aws_sns_topic_subscription" "queue" {
  for_each             = var.topics
  topic_arn            = each.value
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.queue.arn
  raw_message_delivery = false
  redrive_policy       = jsonencode({ deadLetterTargetArn = aws_sqs_queue.undelivered[each.key].arn })
  depends_on           = [aws_sqs_queue_policy.queue, aws_sqs_queue_policy.undelivered]
}

resource "aws_sqs_queue" "undelivered" {
  for_each                  = var.topics
  name                      = "${local.function}-${each.key}-undelivered"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_policy" "undelivered" {
  for_each  = var.topics
  queue_url = aws_sqs_queue.undelivered[each.key].id
  policy    = data.aws_iam_policy_document.undelivered[each.key].json
}

data "aws_iam_policy_document" "undelivered" {
  for_each = var.topics
  statement {
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.undelivered[each.key].arn]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.undelivered[each.key].arn]
    principals {
      type        = "Service"
      identifiers = ["sns.amazonaws.com"]
    }
    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [each.value]
    }
  }
}

resource "aws_lambda_event_source_mapping" "queue" {
  event_source_arn = aws_sqs_queue.queue.arn
  function_name    = aws_lambda_function.handler.arn
  batch_size       = var.batch_size
  # Without it SQS deletes failed records.
  function_response_types = ["ReportBatchItemFailures"]
  # The sweeper of this table may enable it again.
  tags = merge(local.tags, { "lineclear:table" = var.table.name })

  scaling_config {
    maximum_concurrency = var.max_concurrency
  }
}

resource "aws_cloudwatch_log_group" "handler" {
  name              = "/aws/lambda/${local.function}"
  retention_in_days = 30
}

resource "aws_lambda_function" "handler" {
  function_name    = local.function
  role             = aws_iam_role.handler.arn
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = var.handler
  runtime          = "nodejs24.x"
  architectures    = ["arm64"]
  memory_size      = var.memory_size
  timeout          = var.timeout
  tags             = local.tags

  environment {
    variables = merge(var.environment, {
      LINECLEAR_TABLE = var.table.name
    })
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = "INFO"
    system_log_level      = "WARN"
    log_group             = aws_cloudwatch_log_group.handler.name
  }

  # Lambda refuses a mapping whose function may not receive.
  depends_on = [aws_iam_role_policy.handler]
}

resource "aws_iam_role" "handler" {
  name               = local.function
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "handler" {
  role   = aws_iam_role.handler.name
  policy = data.aws_iam_policy_document.handler.json
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "handler" {
  source_policy_documents = var.policies

  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.handler.arn}:*"]
  }
  statement {
    actions = [
      "sqs:ReceiveMessage",
      "sqs:DeleteMessage",
      "sqs:ChangeMessageVisibility",
      "sqs:GetQueueAttributes",
      "sqs:SendMessage",
    ]
    resources = [aws_sqs_queue.queue.arn]
  }
  statement {
    actions   = ["sqs:SendMessage"]
    resources = concat([aws_sqs_queue.dead_letters.arn], var.sends_to)
  }
  statement {
    actions = [
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:PartiQLInsert",
      "dynamodb:PartiQLUpdate",
    ]
    resources = [var.table.arn]
    # The items of its own name only. Of no key at all, everything that is said of all keys is true: hence Null.
    condition {
      test     = "ForAllValues:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = concat(local.own_keys, var.also_keys)
    }
    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "age" {
  alarm_name        = "${local.function}-age"
  alarm_description = "A message has waited for 15 minutes: the consumer is slow, throttled, paused or failing. Next: lineclear status${local.of_table}"
  namespace         = "AWS/SQS"
  metric_name       = "ApproximateAgeOfOldestMessage"
  dimensions = {
    QueueName = aws_sqs_queue.queue.name
  }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 900
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "dead_letters" {
  alarm_name        = "${local.function}-dead-letters"
  alarm_description = "Messages are on the dead-letter queue. Next: lineclear dlq groups ${aws_sqs_queue.dead_letters.name}${local.of_table}"
  namespace         = "AWS/SQS"
  metric_name       = "ApproximateNumberOfMessagesVisible"
  dimensions = {
    QueueName = aws_sqs_queue.dead_letters.name
  }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "undelivered" {
  for_each          = var.topics
  alarm_name        = "${local.function}-${each.key}-undelivered"
  alarm_description = "A notification or an event could not be delivered to the queue. Next: lineclear doctor --queue ${aws_sqs_queue.queue.name}${local.of_table}"
  namespace         = "AWS/SQS"
  metric_name       = "ApproximateNumberOfMessagesVisible"
  dimensions = {
    QueueName = aws_sqs_queue.undelivered[each.key].name
  }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name        = "${local.function}-errors"
  alarm_description = "An invocation failed as a whole. Next: lineclear doctor --queue ${aws_sqs_queue.queue.name}${local.of_table}"
  namespace         = "AWS/Lambda"
  metric_name       = "Errors"
  dimensions = {
    FunctionName = aws_lambda_function.handler.function_name
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  alarm_name        = "${local.function}-throttles"
  alarm_description = "Lambda refused an invocation, because a concurrency limit was reached. Next: nothing at first"
  namespace         = "AWS/Lambda"
  metric_name       = "Throttles"
  dimensions = {
    FunctionName = aws_lambda_function.handler.function_name
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "recursion" {
  alarm_name        = "${local.function}-recursion"
  alarm_description = "Lambda has cut a chain of invocations: the message is on the dead-letter queue. Next: lineclear dlq groups ${aws_sqs_queue.dead_letters.name} --reason moved${local.of_table}"
  namespace         = "AWS/Lambda"
  metric_name       = "RecursiveInvocationsDropped"
  dimensions = {
    FunctionName = aws_lambda_function.handler.function_name
  }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "duration" {
  alarm_name        = "${local.function}-duration"
  alarm_description = "Invocations come near to the timeout. Next: lineclear ls ${local.flag}${local.of_table}"
  namespace         = "AWS/Lambda"
  metric_name       = "Duration"
  dimensions = {
    FunctionName = aws_lambda_function.handler.function_name
  }
  extended_statistic  = "p99"
  period              = 60
  evaluation_periods  = 1
  threshold           = 800 * var.timeout
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

# Attempts are lost in each five minutes of a quarter of an hour.
resource "aws_cloudwatch_metric_alarm" "unended" {
  alarm_name          = "${local.function}-unended"
  alarm_description   = "Attempts are killed or cut off by the timeout, again and again. Next: lineclear ls ${local.flag}${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "lostAttempts"
  dimensions          = merge(local.reports_as, { table = var.table.name })
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 3
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

output "queue_arn" {
  value = aws_sqs_queue.queue.arn
}

output "queue_url" {
  value = aws_sqs_queue.queue.id
}

output "function_name" {
  value = aws_lambda_function.handler.function_name
}
