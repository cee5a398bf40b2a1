import { ttlAt } from '../../base/limits/lifetime.ts'
import { awaitingKey, stepIdOf } from '../../protocol/claim/awaiting/awaiting.ts'
import type { AwaitRequest } from '../../protocol/claim/awaiting/saveAwaiting.ts'
import { findWaitingRun, waitersKey } from '../../protocol/claim/awaiting/waitingRuns.ts'
import { writeAwaiting, writeWaiter } from '../../protocol/claim/awaiting/writeAwaiting.ts'
import { anything, checkOptions, toMilliseconds, wrongOption } from '../../base/options.ts'
import { ConfigError } from '../../base/errors.ts'
import { superseded } from '../../protocol/claim/hold.ts'
import { missingIn, stableId } from '../../base/ids.ts'
import { isFifo } from '../../protocol/send/queueUrl.ts'
import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'
import type { AwaitStepOptions } from './context.ts'
import { groupFor } from '../../protocol/send/messageGroup.ts'
import { carriedFlow, type StageHold } from '../../protocol/claim/stage/stageHold.ts'
import { TIMEOUT_BODY } from '../../protocol/claim/awaiting/stepMessage.ts'
import type { OpenContext } from '../../run/context/openContext.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { ItemStore } from '../../protocol/claim/itemStore.ts'

/**
 * Saves all steps, so that they can be found, before the request is made: an answer may arrive before the call has returned. What
 * an earlier attempt saved is kept, with the answers that have arrived since.
 */
export async function awaitStep(
  execution: StageExecution,
  name: string,
  externalIds: string | readonly string[],
  request: () => unknown,
  options: AwaitStepOptions = {},
): Promise<void> {
  const { flow, hold, store } = execution
  checkCall(execution, name, request, options)
  const step = await nameInRun(execution, name)
  const ids = idsOf(execution, name, step, externalIds)
  const { until, timeout } = timesOf(execution, name, options)
  const need = needOf(name, options.need ?? 'all', ids.length)
  const key = awaitingKey(hold.recordPk, step, hold.uniqueRequestId)
  const stepIds = ids.map((id) => stepIdOf(step, id, hold.uniqueRequestId))
  const { uniqueRequestId, epoch, recordPk, keepUntil } = hold
  await save(execution, name, { key, uniqueRequestId, epoch, stepIds, need, until }, ids)
  hold.sentTo.add(step)
  await Promise.all(
    ids.map((id, index) => {
      const stepId = stepIds[index] ?? ''
      const waiter = { stepId, recordPk, uniqueRequestId, keepUntil }
      return writeWaiter(store, waitersKey(flow.name, step, id), waiter, execution.now())
    }),
  )
  // The sandbox may have been frozen since, and another attempt may have made the request.
  // @protects a sandbox that thaws does not make the request of a step
  execution.opened.assertOpen()
  if (timeout !== undefined) remind(execution, name, step, until, timeout)
  await request()
}

/** An earlier attempt may have saved the step under a former name, and answers may have been counted there. */
async function nameInRun(
  { flow, hold: { key, uniqueRequestId }, store }: StageExecution,
  name: string,
): Promise<string> {
  const { formerNames = [] } = flow.awaitingSteps.get(name) ?? {}
  if (formerNames.length === 0) return name
  const known = await findWaitingRun(flow, name, { key, uniqueRequestId }, undefined, store)
  // @protects a step keeps the name that it has in its run
  // @without name @tests test/proof/lifetimes
  return known?.name ?? name
}

function callIn({ flow, stage }: StageExecution, name: string): string {
  return `ctx.awaitStep('${name}') in stage '${stage}' of flow '${flow.name}'`
}

/** Before anything is saved: a misspelt timeout would leave the run without one. */
function checkCall(
  execution: StageExecution,
  name: string,
  request: unknown,
  options: unknown,
): void {
  const here = callIn(execution, name)
  checkOptions(here, options, { need: anything, timeout: anything })
  if (typeof request === 'function') return
  throw wrongOption(here, 'request', 'a function that makes the request', request)
}

function idsOf(
  execution: StageExecution,
  name: string,
  step: string,
  given: string | readonly string[],
): readonly string[] {
  const { flow, hold } = execution
  const here = callIn(execution, name)
  if (!flow.awaitingSteps.has(name)) {
    const known = [...flow.awaitingSteps.keys()].join(', ') || 'none'
    throw new ConfigError(
      `${here}: there is no such step; the steps under awaitingSteps are: ${known}`,
    )
  }
  // @protects a stage asks for a step once
  if (hold.sentTo.has(step)) {
    throw new ConfigError(`${here}: called twice; give all ids at once, as a list`)
  }
  if (step === hold.stage || hold.ancestors.has(step)) {
    throw new ConfigError(
      `${here}: the run has waited for it before, and a run can wait for each step only once. The request was not made. ` +
        `To wait again define another step under awaitingSteps`,
    )
  }
  const ids = [...new Set([given].flat())]
  if (
    ids.length === 0 ||
    ids.some((id) => typeof id !== 'string' || id === '' || !id.isWellFormed() || missingIn(id))
  ) {
    throw new ConfigError(
      `${here}: expected one or more ids that are not empty, of whole characters, and not made of a missing value`,
    )
  }
  return ids
}

function needOf(name: string, need: NonNullable<AwaitStepOptions['need']>, count: number): number {
  if (need === 'all') return count
  if (need === 'any') return 1
  if (Number.isInteger(need) && need >= 1 && need <= count) return need
  throw new ConfigError(
    `ctx.awaitStep('${name}'): need: expected 'all', 'any' or a whole number from 1 to ${count}, the number of ids; got ${need}`,
  )
}

function timesOf(
  { flow, stage, hold, now }: StageExecution,
  name: string,
  options: AwaitStepOptions,
): { readonly until: number; readonly timeout: number | undefined } {
  const given = options.timeout ?? flow.awaitingSteps.get(name)?.timeout
  if (given === undefined) return { until: hold.giveUpAt, timeout: undefined }
  const timeout = toMilliseconds('timeout', given)
  const until = Math.ceil(now() + timeout)
  // @protects a step does not outlive its run
  // @without true
  if (until <= hold.giveUpAt) return { until, timeout }
  throw new ConfigError(
    `ctx.awaitStep('${name}') in stage '${stage}' of flow '${flow.name}': a timeout of ${timeout / 1_000} s ends after the ` +
      `run itself (giveUpAfter), so onTimeout could never run. Nothing was saved, and the request was not made. Give a shorter timeout, ` +
      `none, or a longer giveUpAfter`,
  )
}

async function save(
  execution: StageExecution,
  name: string,
  wanted: AwaitRequest,
  externalIds: readonly string[],
): Promise<void> {
  const { store, hold, now, opened } = execution
  const result = await writeAwaiting(store, {
    wanted,
    more: {
      sentAt: hold.sentAt,
      from: hold.stage,
      ttl: ttlAt(hold.keepUntil),
      ...queueOf(execution, name),
      ...traceOf(execution),
      ...tenantOf(execution),
    },
    externalIds,
    now,
    assertOpen: () => opened.assertOpen(),
  })
  if (result.kind === 'stale') throw superseded(hold.attempt, hold.uniqueRequestId)
  if (result.kind === 'ofOtherStage') throw askedBefore(execution, name, result.stage)
}

/** Trace context of the stage that asks, for the span of the answer's handler. */
function traceOf({ opened }: StageExecution): { readonly traceparent?: string } {
  const traceparent = opened.trace?.traceparent
  return traceparent === undefined ? {} : { traceparent }
}

/** The tenant of the run on a fair queue: an answer from outside has none, or another one. */
function tenantOf({ opened }: StageExecution): { readonly tenant?: string } {
  const { tenant } = opened.ctx.envelope
  return tenant === undefined ? {} : { tenant }
}

/** The queue to which the sweeper sends the timeout when its reminder is lost. */
function queueOf({ flow }: StageExecution, name: string): { readonly queueUrl?: string } {
  const queueUrl = flow.awaitingSteps.get(name)?.queueUrl
  return queueUrl === undefined ? {} : { queueUrl }
}

/**
 * Sends the reminder to the flow itself. SQS delays it by at most 15 minutes; after that it stays hidden on the queue until the
 * step's time is over.
 */
function remind(
  { flow, hold, opened, now }: StageExecution,
  name: string,
  step: string,
  until: number,
  timeout: number,
): void {
  const queueUrl = flow.awaitingSteps.get(name)?.queueUrl
  if (queueUrl === undefined) {
    throw new ConfigError(
      `ctx.awaitStep('${name}'): a timeout needs awaitingSteps.${name}.queueUrl, the queue where its answers arrive`,
    )
  }
  const delay = Math.min(Math.max(until - now(), 0), timeout, MAX_DELAY_MS)
  // The reminder stays hidden and so blocks its FIFO group. It has a group of its own, in which it is the only message.
  const own = stableId('timeout', hold.recordPk, hold.uniqueRequestId, step)
  const group = groupFor(queueUrl, opened.ctx.envelope.tenant, () => ({ groupId: stableId(own) }))
  const soon = isFifo(queueUrl) ? group : { ...group, delay }
  const flowOf = { ...carriedFlow(hold, flow.name), timeout: true } as const
  const options = { name: `timeout of ${step}`, ...soon }
  opened.outbox.add('send', queueUrl, TIMEOUT_BODY, options, { flow: flowOf })
}

function askedBefore({ flow, stage }: StageExecution, name: string, from: unknown): ConfigError {
  return new ConfigError(
    `ctx.awaitStep('${name}') in stage '${stage}' of flow '${flow.name}': stage '${String(from)}' of this run waits for it, or ` +
      `has waited, and a run can wait for each step only once. The request was not made. Define another step under awaitingSteps`,
  )
}

/** One run of a stage's handler, as its context needs it. */
export interface StageExecution {
  readonly flow: FlowDefinition
  readonly stage: string
  readonly hold: StageHold
  readonly opened: OpenContext
  readonly store: ItemStore
  now(): number
}
