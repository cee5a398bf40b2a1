import { toMilliseconds } from '../../base/options.ts'
import { ConfigError, TerminalError } from '../../base/errors.ts'
import { superseded } from '../../protocol/claim/hold.ts'
import { awaitStep, type StageExecution } from './awaitStep.ts'
import type { FlowContext, NextOptions } from './context.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { Answers, StagesOptions } from './options.ts'
import { stableId } from '../../base/ids.ts'
import { groupFor } from '../../protocol/send/messageGroup.ts'
import { flowKeyOf } from './messagePosition.ts'
import { type Only, reset } from './reset.ts'
import { carriedFlow } from '../../protocol/claim/stage/stageHold.ts'

/** The context of any record, with the calls of the flow. */
export function openFlowContext(execution: StageExecution): FlowContext<StagesOptions, Answers> {
  const { ctx, track } = execution.opened
  return Object.freeze({
    ...ctx,
    key: execution.hold.key,
    next: (stage: string, payload: unknown, options: NextOptions = {}) =>
      track(async () => handOver(execution, stage, payload, options)),
    awaitStep: (...step: Parameters<FlowContext<StagesOptions, Answers>['awaitStep']>) =>
      track(() => awaitStep(execution, ...step)),
    reset: () =>
      track(() =>
        reset(
          execution.flow,
          execution.store,
          execution.hold.key,
          execution.now(),
          asHolder(execution),
        ),
      ),
  })
}

/** An attempt that was superseded, or has ended, must not end a run on which another attempt is working. */
function asHolder({ hold, opened }: StageExecution): Only {
  return {
    epoch: hold.epoch,
    assertMine: (record) => {
      opened.assertOpen()
      if (!hold.holds(record)) throw superseded(hold.attempt, hold.uniqueRequestId)
    },
  }
}

async function handOver(
  execution: StageExecution,
  target: string,
  payload: unknown,
  { delay, ...options }: NextOptions,
): Promise<{ uniqueRequestId: string }> {
  const { flow, hold, opened } = execution
  const queueUrl = checkTarget(execution, target)
  checkKey(execution, target, payload)
  const wait = delay === undefined ? 0 : toMilliseconds('delay', delay)
  if (execution.now() + wait >= hold.giveUpAt && wait > 0) {
    throw new ConfigError(
      `ctx.next('${target}') in stage '${execution.stage}' of flow '${flow.name}': a delay of ${wait / 1_000} s ends after the run ` +
        `itself (giveUpAfter), so '${target}' could never run. Nothing was sent. Give a shorter delay, or a longer giveUpAfter`,
    )
  }
  const more = {
    flow: { ...carriedFlow(hold, flow.name), fence: hold.fencing.fence },
    ...(wait > 0 ? { notBefore: Math.ceil(execution.now() + wait) } : {}),
  }
  const group = groupFor(queueUrl, opened.ctx.envelope.tenant, () => ({
    groupId: stableId(hold.key),
  }))
  const all = { ...group, ...options, ...(wait > 0 ? { delay: wait } : {}) }
  const sent = opened.outbox.add('send', queueUrl, payload, all, more)
  hold.sentTo.add(target)
  return sent
}

/** @throws ConfigError when no stage would accept the message */
function checkTarget({ flow, stage, hold }: StageExecution, target: string): string {
  const here = `ctx.next('${target}') in stage '${stage}' of flow '${flow.name}'`
  const known = flow.stages.get(target)
  if (known === undefined) {
    const stages = [...flow.stages.keys()].join(', ')
    throw new ConfigError(`${here}: there is no such stage; the stages are ${stages}`)
  }
  if (flow.stages.get(stage)?.final === true) {
    throw new ConfigError(`${here}: '${stage}' is final, so nothing may come after it`)
  }
  const isBehind = target === stage || hold.stage === target || hold.ancestors.has(target)
  if (target === flow.first || isBehind || hold.sentTo.has(target)) {
    throw new ConfigError(
      `${here}: each stage runs once in a run, and a second message for it would be dropped as a duplicate; ` +
        `to begin another request send it with start()`,
    )
  }
  if (known.queueUrl === undefined) {
    throw new ConfigError(
      `${here}: stages.${target}.queueUrl is not set; is its environment variable missing in this function?`,
    )
  }
  return known.queueUrl
}

/**
 * Checks that the payload has the key of this run. Skipped for a payload that its schema still has to transform before `key` can
 * read it.
 */
function checkKey({ flow, stage, hold }: StageExecution, target: string, payload: unknown): void {
  const key = keyIfReadable(flow, payload)
  if (key === undefined || key === hold.key) return
  throw new TerminalError(
    `ctx.next('${target}') in stage '${stage}' of flow '${flow.name}': the payload is of key '${key}', this run is of ` +
      `'${hold.key}'; nothing was sent. Begin another request with start().`,
  )
}

function keyIfReadable(flow: FlowDefinition, payload: unknown): string | undefined {
  try {
    return flowKeyOf(flow, payload)
  } catch {
    return undefined
  }
}
