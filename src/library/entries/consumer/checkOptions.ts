import { isObject } from '../../base/kindOf.ts'
import * as option from '../../base/options.ts'
import type { RecordHandlerOptions, RetryOptions } from './options.ts'

const NAME = /^[\w.-]{1,128}$/

const RETRY: option.Checks<RetryOptions> = {
  maxAttempts: option.whole(1, 1_000),
  delay: {
    expected: "a time such as '10s', a list of times, { base: '2s', max: '15m' }, or a function",
    isRight: (value) =>
      ['function', 'string', 'number'].includes(typeof value) ||
      Array.isArray(value) ||
      isObject(value),
  },
  maxAge: option.anything,
  transport: option.oneOf('resend', 'visibility'),
}

const OPTIONS: option.Checks<RecordHandlerOptions> = {
  name: option.required(option.matching(NAME, 'letters, digits, ".", "_" or "-", at most 128')),
  formerNames: option.listOf(NAME, "a list of names, such as ['orders']"),
  store: option.aStore,
  schema: option.aSchema,
  parse: option.oneOf('json', 'text'),
  envelopes: {
    expected: 'a list, such as [snsTopic(arn)]',
    isRight: (value) =>
      Array.isArray(value) &&
      value.every((each) => option.hasMembers(each, 'open') || option.hasMembers(each, 'topics')),
  },
  id: option.aFunction('(payload) => payload.orderId'),
  mustAgree: option.listOf(/./s, "a list of fields, such as ['kind']"),
  sentAt: option.aFunction('(payload) => payload.changedAt'),
  retry: option.objectOf(RETRY),
  deadLetterQueueUrl: option.aQueueUrl,
  queueUrl: option.aQueueUrl,
  concurrency: option.whole(1, 1_000),
  reportBatchItemFailures: option.trueOrFalse,
  retention: option.anything,
  timeoutMargin: option.anything,
  logger: option.aLogger,
  metrics: option.someMetrics,
  tracing: option.aTracing,
  offload: option.anOffload,
  circuitBreaker: option.having('circuitBreaker({ after, when })', 'openFor'),
  delays: option.having('storedDelays()', 'rowOf', 'keep'),
  sql: option.someSqlEffects,
  clients: option.someClients,
  onSettled: option.aFunction('(settlement, message) => {}'),
  alreadyDone: option.aFunction("(payload, message) => 'new'"),
  onFailure: option.aFunction('(payload, ctx, end) => {}'),
  dead: option.oneOf('redrivable', 'final'),
  clock: option.aClock,
}

/**
 * @throws ConfigError naming the option, what was expected and what was given. Values may come from JavaScript or from an unset variable.
 */
export function checkRecordOptions(options: unknown, handle: unknown, who: string): void {
  if (!isObject(options)) {
    throw option.wrongOption(who, 'the first argument', 'an object of options', options)
  }
  if (typeof handle !== 'function') {
    throw option.wrongOption(who, 'the second argument', 'a function (payload, ctx)', handle)
  }
  option.checkOptions(who, options, OPTIONS)
  if (options['dead'] !== undefined && options['onFailure'] === undefined) {
    throw option.wrongOption(who, 'dead', 'onFailure beside it', options['dead'])
  }
  if (options['mustAgree'] !== undefined && options['id'] === undefined) {
    throw option.wrongOption(who, 'mustAgree', 'id beside it', options['mustAgree'])
  }
}
