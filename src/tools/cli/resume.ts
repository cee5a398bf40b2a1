import { applyResume } from '../../library/entries/sweeper/pause/applyPause.ts'
import { enableCommand } from '../operator/pause/enableCommand.ts'
import {
  findMappings,
  type FoundMapping,
  isNamed,
  type PauseSelection,
} from '../operator/pause/findMappings.ts'
import { listPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import { type Pause, subjectOf } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { planName } from '../operator/text/planName.ts'
import { printChange, type Made, offer, type Operator, type Told } from './change.ts'
import { flag } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import {
  changePauses,
  lambdaOf,
  MISSING,
  PATIENCE,
  pauseJson,
  pauseLine,
  PAUSE_SELECTION,
  pauseSelectionOf,
  withQueueArn,
} from './pauseOptions.ts'
import { UsageError } from './usageError.ts'

export const resume: Command = command({
  words: 'resume',
  summary: 'end a pause before its time',
  about: [
    'Enables what lineclear pause has disabled, and nothing else: a mapping that was disabled elsewhere stays as it is.',
  ],
  arguments: {},
  options: {
    ...PAUSE_SELECTION,
    all: { kind: flag, help: 'everything that is paused', page: true },
  },
  examples: ['resume --dependency bank'],
  changes: 'plan',
  run: async ({ all, ...given }, io) => {
    const selection = pauseSelectionOf(given)
    if ((selection === undefined) === !all) {
      throw new UsageError(
        `expected --all or one of --${Object.keys(PAUSE_SELECTION).join(', --')}; got ${all ? 'both' : 'none'}`,
      )
    }
    const pauses = await listPauses(io.store())
    if (selection === undefined) return plan(pauses, 'all', io)
    const id = `${selection.by} ${selection.value}`
    const resolved = await withQueueArn(selection, io)
    const selected = pauses.filter((each) => isSelected(each, resolved))
    if (selected.length === 0) {
      // Tells a name under which nothing is paused from one that is misspelled.
      const named = await findMappings(await lambdaOf(io), resolved)
      if (named.length === 0) return printChange({ action: 'resume', id, ...MISSING }, io)
      return plan(selected, id, io, named.filter(isDisabled))
    }
    return plan(selected, id, io)
  },
})

function isSelected(pause: Pause, { by, value }: PauseSelection): boolean {
  switch (by) {
    case 'mapping':
      return pause.mapping === value
    case 'queue':
      return pause.queue === value
    case 'function':
      return `:${pause.function}:`.includes(`:${value}:`)
    case 'consumer':
    case 'flow':
    case 'dependency':
      return isNamed(pause.names, by, value)
  }
}

function isDisabled({ state }: FoundMapping): boolean {
  return state === 'Disabled' || state === 'Disabling'
}

/** @param off mappings of the selection that are disabled, and that no pause of ours has disabled */
async function plan(
  pauses: readonly Pause[],
  id: string,
  io: Io,
  off: readonly FoundMapping[] = [],
): Promise<ExitCode> {
  const told: Told = {
    action: 'resume',
    id,
    lines: [
      ...pauses.map((each) => pauseLine(each, io)),
      ...off.map((each) => `${subjectOf(each)} is ${each.state}: ${enableCommand(each.mapping)}`),
    ],
    facts: { mappings: pauses.map(pauseJson) },
  }
  if (pauses.length === 0) {
    const because =
      'nothing of it is paused. A mapping that was disabled elsewhere is enabled where it was disabled, or by the command of AWS'
    return printChange({ ...told, outcome: 'nothing', because }, io)
  }
  const name = planName([io.change.args, pauses.map((each) => [each.id, each.state])])
  const apply = async (operator: Operator): Promise<Made> => {
    const lambda = await lambdaOf(io)
    const pausing = { store: io.store(), lambda, clock: io.clock, patience: PATIENCE }
    return changePauses(pauses, operator, async (each) => [
      await applyResume(each, operator.by, pausing),
      'resumed',
    ])
  }
  return offer({ ...told, name, apply }, io)
}
