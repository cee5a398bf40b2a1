# Lineclear's table, one consumer and the sweeper. `node build.ts` makes the packages: each is a zip with the bundled handler as
# index.mjs.

terraform {
  required_version = ">= 1.5"
  required_providers {
    # Before 6.19 it refuses the runtime nodejs24.x.
    aws = { source = "hashicorp/aws", version = ">= 6.19" }
  }
}

variable "alarm_email" {
  type        = string
  description = "Gets every alarm."
}

variable "stage" {
  type        = string
  default     = "dev"
  description = "Such as prod. Each has its own state, and everything in it is named after its table."
}

module "table" {
  source      = "./modules/table"
  name        = "lineclear-${var.stage}"
  alarm_email = var.alarm_email
}

module "orders" {
  source    = "./modules/consumer"
  name      = "orders"
  package   = "dist/orders.zip"
  table     = module.table.table
  alarms_to = module.table.alarm_topic_arn
}

module "sweeper" {
  source    = "./modules/sweeper"
  package   = "dist/sweeper.zip"
  table     = module.table.table
  alarms_to = module.table.alarm_topic_arn
  # Queues of awaited steps with a timeout, of thenEnqueue and of delayed messages, and no others.
  sends_to = [
    module.orders.queue_arn,
  ]
}
