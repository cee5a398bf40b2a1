import * as option from '../../base/options.ts'
import type { ProducerOptions } from './options.ts'

const OPTIONS: option.Checks<ProducerOptions> = {
  schema: option.aSchema,
  id: option.aFunction('(payload) => payload.orderId'),
  sentAt: option.aFunction('(payload) => payload.changedAt'),
  tracing: option.aTracing,
  payloads: option.somePayloads,
  sqs: option.aClient('SQSClient'),
  sns: option.aClient('SNSClient'),
  clock: option.aClock,
}

/** @throws ConfigError naming the option, what was expected and what was given */
export function checkProducer(options: unknown): void {
  option.checkOptions('producer', options, OPTIONS)
}
