import type { Token } from '../../library/protocol/claim/token/token.ts'
import {
  applyGroup,
  type GroupChangeReport,
  planGroup,
  type PlannedToken,
} from '../operator/plan/changeGroup.ts'
import { groupTokens, type TokenGroup } from '../operator/plan/groupTokens.ts'
import { commandText, decideCommand } from '../operator/item/advise.ts'
import type { Details } from '../operator/plan/planDecision.ts'
import type { Decision } from '../operator/item/decisions.ts'
import type { ChangePlan } from '../operator/plan/applyPlan.ts'
import { isOfToken, planOfToken } from '../operator/plan/planToken.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { type BoundReport, type BoundTo, type Planning, runBound } from './boundRun.ts'
import { printChange, lineToApply, type Operator } from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { withProgress } from './terminal.ts'
import { untilInterrupted } from './interrupt.ts'
import { jsonTime, printJson, listLines, oneLine, tableLines } from './table.ts'

const REQUESTS: Planning = {
  nothing: 'no request or key of that group waits. lineclear decide lists the groups',
  nothingLeft: 'what the plan would change is in that state already',
  again: lineToApply,
}

/** Decides about all requests or keys of a group: those of the plan that are as they were shown. */
export async function decideGroup(
  group: string,
  decision: Decision,
  details: Details,
  io: Io,
): Promise<ExitCode> {
  const action = `decide ${decision}`
  const id = `group ${group}`
  if (!isOfToken(decision)) {
    const because = `'${decision}' is no decision about a group: there are done, free, again, drop`
    return printChange({ action, id, outcome: 'impossible', because }, io)
  }
  const plan = (token: Token, now: number): ChangePlan => planOfToken(token, decision, details, now)
  return untilInterrupted(io.interrupt, (signal) => {
    const run = async (bound: BoundTo<PlannedToken>, operator?: Operator) =>
      withProgress(io, 'looked at', async (progress): Promise<GroupChangeReport> => {
        const { only, onPlanned, onPage } = bound
        const { args } = io.change
        const onProgress = (looked: number, of: number): void => progress.at(looked, of)
        const change = { store: io.store(), plan, args, clock: io.clock, signal, onProgress }
        if (only === undefined || operator === undefined) {
          return planGroup(group, change, onPlanned ?? (() => {}))
        }
        const { by, why } = operator
        const reporting = {
          by,
          why,
          messenger: io.messenger(),
          onPage: onPage ?? (async () => undefined),
        }
        return applyGroup(only, { ...change, ...reporting })
      })
    const lines = (report: GroupChangeReport): readonly string[] => linesOf(report, action, group)
    const after = ({ changes }: GroupChangeReport): readonly string[] => changes
    return runBound({ planning: REQUESTS, action, id, run, read, lines, after }, io, true)
  })
}

function read({ changed, left, more, ended }: GroupChangeReport): BoundReport {
  return {
    done: changed.length,
    incomplete: left.length > 0 || more,
    ended,
  }
}

function linesOf(report: GroupChangeReport, action: string, group: string): readonly string[] {
  const { mode, changed, left, already, more } = report
  const planned = mode === 'plan'
  return [
    `${changed.length} ${planned ? 'would be changed' : 'changed'}`,
    ...listLines(changed),
    ...(already > 0 ? [`${already} in that state already`] : []),
    ...(left.length > 0 ? [`${left.length} left as they are:`] : []),
    ...listLines(left.map(({ id, because }) => `${id}: ${because}`)),
    ...(more ? ['The group has more. Run the command again when these are done.'] : []),
    ...(planned || changed.length === 0 ? [] : deadLetterLines(report, action, group)),
  ]
}

/** Their group has the same name, unless the consumer was renamed. */
function deadLetterLines(
  { deadLettered }: GroupChangeReport,
  action: string,
  group: string,
): readonly string[] {
  if (!deadLettered) return []
  return action === 'decide done'
    ? [
        `Their dead letters are dropped when they are redriven. To take them away: lineclear dlq discard --all --group ${group}`,
      ]
    : [`To run them again: lineclear dlq redrive --all --group ${group}`]
}

const HEAD = ['GROUP', 'COUNT', 'OF', 'REASON', 'CALLS', 'ERROR', 'OLDEST', 'EXAMPLE']

export async function showGroups(io: Io): Promise<ExitCode> {
  const groups = await groupTokens(io.store())
  if (io.json) printJson(io, { groups: groups.map(groupJson) })
  else if (groups.length === 0) io.out('No request or key waits for an operator.')
  else printGroups(groups, io)
  return 0
}

export async function showGroup(group: string, io: Io): Promise<ExitCode> {
  const found = (await groupTokens(io.store())).filter((each) => each.group === group)
  const decisions = found.flatMap(({ notDone }) => [
    decideCommand(group, 'done'),
    decideCommand(group, 'free', { notDone }),
    decideCommand(group, 'again'),
  ])
  const lines = decisions.map(commandText)
  if (io.json) printJson(io, { id: group, groups: found.map(groupJson), decisions: lines })
  else if (found.length === 0) io.err(`Not found: ${REQUESTS.nothing}.`)
  else {
    printGroups(found, io)
    for (const line of lines) io.out(oneLine(io.here(`  ${line}`)))
  }
  return found.length === 0 ? 4 : 0
}

function groupJson({ oldest, ...group }: TokenGroup): object {
  return { ...group, oldest: jsonTime(oldest) }
}

function printGroups(groups: readonly TokenGroup[], io: Io): void {
  const rows = groups.map(({ group, count, of, reason, calls, error, oldest, example }) => [
    group,
    String(count),
    of,
    reason,
    calls.join(', '),
    error,
    oldest === undefined ? '' : formatDuration(Math.max(0, io.clock.now() - oldest)),
    example,
  ])
  for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
}
