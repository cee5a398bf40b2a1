# The sweeper: ends what was due and is still open, and reports how much there is. One for each table.

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
  default     = 50
  description = "Seconds. It works until shortly before."
}

variable "memory_size" {
  type    = number
  default = 512
}

variable "environment" {
  type    = map(string)
  default = {}
}

variable "sends_to" {
  type        = list(string)
  default     = []
  description = "ARNs of the queues of awaited steps with a timeout, of thenEnqueue and of delayed messages, and no others."
}

locals {
  # On the command line, for a table with a name of its own.
  of_table = var.table.name == "lineclear" ? "" : " --table ${var.table.name}"
  function = "${var.table.name}-sweeper"
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

data "aws_partition" "current" {}

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
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.handler.arn}:*"]
  }
  statement {
    actions = [
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:UpdateItem",
      "dynamodb:PutItem",
      "dynamodb:PartiQLUpdate",
      "dynamodb:Scan",
    ]
    resources = [var.table.arn]
  }
  statement {
    actions   = ["dynamodb:Query"]
    resources = ["${var.table.arn}/index/byStatus"]
  }
  # It ends the pauses of lineclear pause: the module consumer tags its mapping with its table.
  statement {
    actions   = ["lambda:UpdateEventSourceMapping"]
    resources = ["arn:${data.aws_partition.current.partition}:lambda:*:*:event-source-mapping:*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/lineclear:table"
      values   = [var.table.name]
    }
  }
  dynamic "statement" {
    for_each = length(var.sends_to) > 0 ? [var.sends_to] : []
    content {
      actions   = ["sqs:SendMessage"]
      resources = statement.value
    }
  }
}

resource "aws_cloudwatch_event_rule" "every_minute" {
  name                = local.function
  schedule_expression = "rate(1 minute)"
}

resource "aws_cloudwatch_event_target" "sweeper" {
  rule = aws_cloudwatch_event_rule.every_minute.name
  arn  = aws_lambda_function.handler.arn
  # The next run does what a failed one has left.
  retry_policy {
    maximum_retry_attempts       = 0
    maximum_event_age_in_seconds = 60
  }
}

resource "aws_lambda_permission" "every_minute" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.handler.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.every_minute.arn
}

resource "aws_cloudwatch_metric_alarm" "overdue" {
  alarm_name          = "${local.function}-overdue"
  alarm_description   = "Requests are overdue. Next: lineclear ls --due${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "missingTasks"
  dimensions          = { table = var.table.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "waiting_for_operator" {
  alarm_name          = "${local.function}-waiting-for-operator"
  alarm_description   = "Requests wait for an operator. Next: lineclear ls --status error,unknown,dead${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "waitingTasks"
  dimensions          = { table = var.table.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

# An open circuit of the option `circuitBreaker`, of whichever consumer: one alarm for as long as it is open.
resource "aws_cloudwatch_metric_alarm" "open_circuits" {
  alarm_name          = "${local.function}-open-circuits"
  alarm_description   = "A consumer starts no handlers, because what it depends on is down. Next: lineclear status${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "openCircuits"
  dimensions          = { table = var.table.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "delayed" {
  alarm_name          = "${local.function}-delayed"
  alarm_description   = "Delayed messages are late. Next: lineclear ls --status later --due${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "oldestDelayed"
  dimensions          = { table = var.table.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 3
  threshold           = 600000
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "breaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "in_progress" {
  alarm_name          = "${local.function}-in-progress"
  alarm_description   = "Unusually many requests are in progress. Next: lineclear ls --count${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "inProgress"
  dimensions          = { table = var.table.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 1000
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "silent" {
  alarm_name          = "${local.function}-silent"
  alarm_description   = "The sweeper does not run. Next: lineclear sweep --apply${local.of_table}"
  namespace           = "Lineclear"
  metric_name         = "missingTasks"
  dimensions          = { table = var.table.name }
  statistic           = "SampleCount"
  period              = 60
  evaluation_periods  = 5
  threshold           = 0
  comparison_operator = "LessThanOrEqualToThreshold"
  treat_missing_data  = "breaching"
  alarm_actions       = [var.alarms_to]
  ok_actions          = [var.alarms_to]
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  alarm_name        = "${local.function}-errors"
  alarm_description = "An invocation failed as a whole. Next: nothing: read its log"
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

resource "aws_cloudwatch_metric_alarm" "duration" {
  alarm_name        = "${local.function}-duration"
  alarm_description = "Invocations come near to the timeout. Next: nothing: read its log"
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

output "function_name" {
  value = aws_lambda_function.handler.function_name
}
