import { DEFAULT_RETENTION_MS } from '../../base/limits/lifetime.ts'
import type { Consumer } from '../../run/deliver/consumer.ts'
import type { Tracing } from '../../features/tracing/tracing.ts'
import { readOptions } from '../consumer/readOptions.ts'
import { toMilliseconds } from '../../base/options.ts'
import { timeoutOr } from '../../protocol/claim/awaiting/stepMessage.ts'
import type { OnConflict } from '../../protocol/claim/stage/stageMessage.ts'
import type { Process } from '../../protocol/claim/stage/stageRecord.ts'
import { checkFlow, checkGiveUp, checkTimes } from './checkFlow.ts'
import type {
  Answers,
  AwaitOptions,
  FailureOptions,
  FlowOptions,
  StageOptions,
  StagesOptions,
} from './options.ts'
import { endReportSchema } from './endSchema.ts'
import { FAILURE_PART } from '../../protocol/claim/stage/endReport.ts'

/** The checked definition, with all defaults. */
export interface FlowDefinition {
  readonly name: string
  readonly process: Process
  readonly onConflict: OnConflict
  readonly giveUpAfter: number
  readonly retention: number
  readonly first: string
  readonly stages: ReadonlyMap<string, StageOptions>
  readonly awaitingSteps: ReadonlyMap<string, AwaitOptions>
  keyOf(payload: unknown): unknown
  /** undefined: use the time when SNS or SQS accepted the message. */
  sentAtOf(payload: unknown): unknown
  /** Where the ends of its runs are reported that do not complete. */
  readonly failures: FailureOptions | undefined
  /** For what is sent from outside its handlers. */
  readonly tracing: Tracing | undefined
  /** The consumer for records of a stage, or for answers of a step: the same for every call. */
  consumerOf(name: string): Consumer
}

/** @throws ConfigError naming the option, what was expected and what was given */
export function readDefinition(
  options: FlowOptions<StagesOptions, Answers, unknown>,
): FlowDefinition {
  checkFlow(options)
  const { name, stages, awaitingSteps = {} } = options
  const giveUpAfter = toMilliseconds('giveUpAfter', options.giveUpAfter ?? '1d')
  checkTimes(`defineFlow('${name}')`, { giveUpAfter, awaitingSteps })
  const [first = ''] = Object.keys(stages)
  const flow: FlowDefinition = {
    name,
    process: options.process ?? 'newest',
    onConflict: options.onConflict ?? 'defer',
    giveUpAfter,
    retention: toMilliseconds('retention', options.retention ?? DEFAULT_RETENTION_MS),
    first,
    stages: new Map(Object.entries(stages)),
    awaitingSteps: new Map(Object.entries(awaitingSteps)),
    keyOf: (payload) => options.key(payload),
    sentAtOf: (payload) => options.sentAt?.(payload),
    failures: options.failures,
    tracing: options.tracing,
    consumerOf: (part) => {
      const consumer = consumers.get(part)
      if (consumer !== undefined) return consumer
      throw new Error(`${part} is no part of the flow`)
    },
  }
  const failure = flow.failures === undefined ? [] : [FAILURE_PART]
  const parts = [...flow.stages.keys(), ...flow.awaitingSteps.keys(), ...failure]
  const consumers = new Map(parts.map((part) => [part, consumerOf(options, flow, part)]))
  checkGiveUp(`defineFlow('${name}')`, flow)
  return flow
}

function consumerOf(
  options: FlowOptions<StagesOptions, Answers, unknown>,
  flow: FlowDefinition,
  part: string,
): Consumer {
  const { store, logger, metrics, tracing, offload, sql, delays, clock } = options
  const { clients, onSettled, retention, timeoutMargin, retry } = options
  const who = `defineFlow('${flow.name}'): ${part}`
  const failure = part === FAILURE_PART && { ...flow.failures, schema: endReportSchema }
  const own = { ...flow.stages.get(part), ...flow.awaitingSteps.get(part), ...failure }
  const { schema, envelopes, queueUrl, deadLetterQueueUrl, concurrency } = own
  const given = {
    schema: schema && flow.awaitingSteps.has(part) ? timeoutOr(schema) : schema,
    envelopes,
    queueUrl,
    deadLetterQueueUrl,
    concurrency,
    logger,
    metrics,
    tracing,
    delays,
    circuitBreaker: flow.stages.get(part)?.circuitBreaker,
    sql,
    offload,
    clients,
    clock,
    onSettled,
    retention,
    timeoutMargin,
    reportBatchItemFailures: options.reportBatchItemFailures,
    id: part === flow.first ? options.id : undefined,
  }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const all = {
    ...known,
    name: `${flow.name}.${part}`,
    store,
    retry: { ...retry, maxAge: flow.retention },
  }
  const names = { flow: flow.name, stage: part }
  return readOptions(all, () => {}, who, names)
}
