import { applyResume } from '../../sweeper/pause/applyPause.ts'
import { findMappings, type PauseSelection } from '../operator/pause/findMappings.ts'
import { listPauses } from '../../sweeper/pause/listPauses.ts'
import { type Pause, auditId, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { planName } from '../operator/text/planName.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { lambdaOf } from './lambdaOf.ts'
import { PATIENCE } from './pausePlan.ts'
import { MISSING, pauseJson, pauseLine, planEnd, reportPause, SAID } from './pauseReport.ts'
import { isSelected, readSelection, SELECTION, withQueueArn } from './pauseSelection.ts'
import { positionals, readArgs } from './readArgs.ts'
import { UsageError } from './usageError.ts'

export const resume: CliCommand = {
  name: 'resume',
  summary: 'end a pause: enable the event source mappings again',
  usage: `lineclear resume SELECTION | --all

  Enables what lineclear pause has disabled, and nothing else: a mapping that was disabled elsewhere stays as it is.

  --mapping, --queue, --function, --consumer, --flow, --dependency   as for lineclear pause
  --all   everything that is paused

  Shows the plan; --apply PLAN makes the change.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      ...SELECTION,
      all: { type: 'boolean' },
    })
    positionals(given, [])
    const { all, ...rest } = values
    const selection = readSelection(rest)
    if ((selection === undefined) === (all !== true)) {
      throw new UsageError(
        `expected --all or one of --${Object.keys(SELECTION).join(', --')}; got ${all === true ? 'both' : 'none'}`,
      )
    }
    const pauses = await listPauses(io.store())
    if (selection === undefined) return plan(pauses, io)
    const resolved = await withQueueArn(selection, io)
    const selected = pauses.filter((each) => isSelected(each, resolved))
    if (selected.length === 0 && !(await matches(resolved, io))) {
      const missing = { action: 'resume', outcome: 'missing', mappings: [], lines: [] } as const
      return reportPause({ ...missing, end: [MISSING] }, io)
    }
    return plan(selected, io)
  },
}

/** Tells a name under which nothing is paused from one that is misspelled. */
async function matches(selection: PauseSelection, io: Io): Promise<boolean> {
  return (await findMappings(await lambdaOf(io), selection)).length > 0
}

async function plan(pauses: readonly Pause[], io: Io): Promise<ExitCode> {
  const now = io.clock.now()
  const name = planName([io.change.args, pauses.map(({ id, state }) => [id, state])])
  const report = {
    action: 'resume',
    plan: name,
    mappings: pauses.map(pauseJson),
    lines: pauses.map((each) => pauseLine(each, now)),
  } as const
  if (pauses.length === 0) {
    const none =
      'Nothing to do: nothing of it is paused. A mapping that was disabled elsewhere is enabled where it was disabled.'
    return reportPause({ ...report, plan: undefined, outcome: 'nothing', end: [none] }, io)
  }
  if (io.change.plan !== name) return reportPause({ ...report, ...planEnd(name, io) }, io)
  const lambda = await lambdaOf(io)
  const pausing = { store: io.store(), lambda, clock: io.clock, patience: PATIENCE }
  const { by, why = 'no reason given', args } = io.change
  const lines: string[] = []
  let changed = false
  for (const each of pauses) {
    const entry = { action: 'resume', id: auditId(each), plan: name, by, why }
    const outcome = await audited(io, { ...entry, command: commandWithoutPayloads(args) }, () =>
      applyResume(each, by, pausing),
    )
    changed ||= outcome === 'changed'
    lines.push(`${subjectOf(each)}: ${outcome === 'done' ? 'resumed' : SAID[outcome]}`)
  }
  const last = changed
    ? 'Not all of it was done. lineclear pause lists what is paused.'
    : `Done, and recorded as done by ${by}.`
  return reportPause(
    { ...report, lines, outcome: changed ? 'changed' : 'applied', end: [last] },
    io,
  )
}
