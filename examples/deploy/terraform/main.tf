# Lineclear's table, one consumer and the sweeper. Each package is a zip with the bundled handler as index.mjs, and the files that it
# loads on first use. Packages that are CommonJS call require, which an ES module has to make:
#
#   npx esbuild src/orders.ts --bundle --minify --platform=node --format=esm --splitting --main-fields=module,main \
#     --banner:js="import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" \
#     --outdir=dist/orders --entry-names=index --out-extension:.js=.mjs && (cd dist/orders && zip ../orders.zip *.mjs)

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 5.80" }
  }
}

variable "alarm_email" {
  type        = string
  description = "Gets every alarm."
}

module "table" {
  source      = "./modules/table"
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
  # Queues of awaited steps with a timeout, of thenEnqueue, of undos and of delayed messages, and no others.
  sends_to = [module.orders.queue_arn]
}
