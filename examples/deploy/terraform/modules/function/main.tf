# A function that is called directly, such as one of idempotent: function, role and alarms.

variable "name" {
  type        = string
  description = "The name of its handler, whose keys it may touch."
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
  description = "Seconds."
}

variable "memory_size" {
  type    = number
  default = 512
}

variable "environment" {
  type    = map(string)
  default = {}
}

variable "policies" {
  type        = list(string)
  default     = []
  description = "JSON of what its handler may do besides, such as dynamodb:UpdateItem on your tables."
}

locals {
  function = "${var.table.name}-${var.name}"
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
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [var.table.arn]
    condition {
      test     = "ForAllValues:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = ["key#${var.name}/*", "key#${var.name}@*"]
    }
    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
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

output "invoke_arn" {
  value       = aws_lambda_function.handler.invoke_arn
  description = "For an API of API Gateway."
}

output "function_name" {
  value = aws_lambda_function.handler.function_name
}
