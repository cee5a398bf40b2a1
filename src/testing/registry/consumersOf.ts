import type { RecordParts } from '../../library/entries/consumer/recordHandler.ts'
import type { FlowDefinition } from '../../library/entries/flow/flowDefinition.ts'
import type { FlowParts } from '../../library/entries/flow/handleStage.ts'
import type { CallParts } from '../../library/entries/call/idempotent.ts'
import { partsOf } from '../../library/base/handler.ts'

/** A handler of Lineclear, as its options say. Queues by name. */
export interface ConsumerDescription {
  /** A consumer's name, `FLOW.STAGE`, or the `name` of a function; '': it is the name of the Lambda function. */
  readonly name: string
  /**
   * `record`: `recordHandler`. `stage`: a stage of a flow. `answer`: the handler of an awaited step. `function`: `idempotent`.
   * `invocation`: `invocationHandler`.
   */
  readonly kind: 'record' | 'stage' | 'answer' | 'function' | 'invocation'
  /** As its options name it; absent when it is known only from the messages that come. */
  readonly deadLetterQueue?: string
  /** Where it may send as far as the definition of its flow says; `ctx.send` and `ctx.publish` are not known before they are called. */
  readonly sendsTo: readonly string[]
  readonly flow?: FlowOfConsumer
}

/** The flow that a handler belongs to. */
export interface FlowOfConsumer {
  readonly name: string
  /** Its stage, or the step whose answers it takes. */
  readonly part: string
  /** In the order of the definition: the first one starts a run. */
  readonly stages: readonly FlowPart[]
  /** Steps that wait for an outside system. */
  readonly steps: readonly FlowPart[]
}

/** A stage or a step of a flow. */
export interface FlowPart {
  readonly name: string
  readonly queue?: string
  /** No stage follows. */
  readonly final?: true
}

/**
 * Describes what Lineclear has made of a handler: for tools, such as a map of the system. It reads no payload, calls nothing, and
 * knows a handler only as it was made: not once other code has wrapped it.
 * @returns nothing for what Lineclear has not made
 * @example
 * const handler = recordHandler({ name: 'orders', store }, () => {})
 * const [orders] = consumersOf(handler)
 * console.log(orders?.name, orders?.kind)
 */
export function consumersOf(handler: unknown): readonly ConsumerDescription[] {
  const { consumer, flow, part, call, name } = (partsOf(handler) ?? {}) as Parts
  if (consumer !== undefined) return [{ ...ofConsumer(consumer), kind: 'record', sendsTo: [] }]
  if (flow !== undefined && part !== undefined) return [ofFlow(flow, part)]
  if (call === undefined) return []
  const kind = call === 'invocationHandler' ? 'invocation' : 'function'
  return [{ name: name ?? '', kind, sendsTo: [] }]
}

/** Only `madeOf` writes these. */
type Parts = Partial<RecordParts & FlowParts & CallParts>

function ofConsumer({
  name,
  deadLetterQueueUrl,
}: RecordParts['consumer']): Pick<ConsumerDescription, 'name' | 'deadLetterQueue'> {
  return {
    name,
    ...(deadLetterQueueUrl !== undefined && { deadLetterQueue: lastPart(deadLetterQueueUrl) }),
  }
}

function ofFlow(flow: FlowDefinition, part: string): ConsumerDescription {
  const { name } = flow
  const stages = [...flow.stages].map(([stage, options]) => partOf(stage, options))
  const steps = [...flow.awaitingSteps].map(([step, options]) => partOf(step, options))
  const isFinal = flow.stages.get(part)?.final === true
  const targets = stages.filter((stage) => stage.name !== part && !isFinal)
  return {
    ...ofConsumer(flow.consumerOf(part)),
    kind: flow.awaitingSteps.has(part) ? 'answer' : 'stage',
    sendsTo: targets.flatMap(({ queue }) => queue ?? []),
    flow: { name, part, stages, steps },
  }
}

function partOf(
  name: string,
  { queueUrl, final }: { readonly queueUrl?: string | undefined; readonly final?: true },
): FlowPart {
  return {
    name,
    ...(queueUrl !== undefined && { queue: lastPart(queueUrl) }),
    ...(final === true && { final }),
  }
}

/** The name in the URL of a queue, or in an ARN. */
function lastPart(url: string): string {
  return url.split(/[/:]/).at(-1) ?? ''
}
