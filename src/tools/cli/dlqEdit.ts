import { readFile, writeFile } from 'node:fs/promises'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ConfigError, hasCode, messageOf } from '../../base/errors.ts'
import { parsePayload } from '../../record/message/parsePayload.ts'
import {
  changesBetween,
  editDeadLetter,
  type EditPlan,
  type EditResult,
  peekDeadLetters,
  setInJson,
} from '../operator/dlq/index.ts'
import { optionWord, positionalWords } from '../operator/text/commandLine.ts'
import { audited, commandWithoutPayloads } from './audited.ts'
import type { ExitCode, Io } from './command.ts'
import { sharedOptions, withProgress } from './dlqOptions.ts'
import { loadModule } from './loadModule.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs, readJson } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

const TEXT = { type: 'string' } as const
const EDIT = {
  id: TEXT,
  'to-file': TEXT,
  'from-file': TEXT,
  set: { type: 'string', multiple: true },
  schema: TEXT,
  consumer: TEXT,
} as const

type EditOutcome = EditResult['kind'] | 'another plan'

const EXIT: Readonly<Record<EditOutcome, ExitCode>> = {
  planned: 0,
  applied: 0,
  nothing: 0,
  'another plan': 1,
  impossible: 1,
  outdated: 1,
  refused: 1,
  held: 1,
  missing: 4,
}

/** Corrects the payload of one dead letter. */
export async function runEdit(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, EDIT)
  const [queue] = positionals(given, ['QUEUE'])
  const { id, 'to-file': toFile, consumer } = values
  if (id === undefined) throw new UsageError('edit: expected --id ID, got none')
  const from = [values['from-file'], values.set, toFile].filter((each) => each !== undefined)
  if (from.length !== 1) {
    throw new UsageError('edit: expected one of --to-file FILE, --from-file FILE, --set PATH=JSON')
  }
  if (toFile !== undefined) return writePayload(queue, id, toFile, io, signal)
  const edit = await readEdit(values['from-file'], values.set)
  const check = await readSchema(values.schema)
  const shown: { plan?: EditPlan } = {}
  const work = async (onPlan: (plan: EditPlan) => Promise<boolean>): Promise<EditResult> =>
    withProgress(io, 'looked at', async (progress) => {
      const shared = sharedOptions(io, progress, signal)
      const store = io.store()
      const options = { queue, id, consumer, store, edit, args: io.change.args, ...shared }
      return editDeadLetter({
        ...options,
        onPlan: async (plan) => {
          shown.plan = plan
          await check(plan.after)
          return onPlan(plan)
        },
      })
    })
  const { apply, plan: name, by, why = 'no reason given' } = io.change
  let mismatch = false
  const command = commandWithoutPayloads(io.change.args)
  const entry = { action: 'dlq edit', id: `${queue} ${id}`, plan: name ?? '', by, why, command }
  const run = async (): Promise<EditResult> =>
    work(async (plan) => {
      mismatch = apply && plan.name !== name
      return apply && !mismatch
    })
  let result: EditResult | undefined
  try {
    if (apply && name !== undefined) {
      await audited(io, entry, async () => {
        result = await run()
        return mismatch ? 'refused: another plan' : result.kind
      })
    } else result = await run()
  } catch (error) {
    if (!hasCode(error, 'REJECTED')) throw error
    result = { kind: 'impossible', because: `the new payload is refused: ${messageOf(error)}` }
  }
  const outcome = mismatch ? 'another plan' : (result?.kind ?? 'missing')
  report(io, { queue, id, outcome, result, plan: shown.plan })
  return EXIT[outcome]
}

interface Reported {
  readonly queue: string
  readonly id: string
  readonly outcome: EditOutcome
  readonly result: EditResult | undefined
  readonly plan: EditPlan | undefined
}

function report(io: Io, { queue, id, outcome, result, plan }: Reported): void {
  const because = result !== undefined && 'because' in result ? result.because : undefined
  const changes = plan === undefined ? [] : changesBetween(plan.before, plan.after)
  if (io.json) {
    const facts = { plan: plan?.name, changes, notes: plan?.notes, because }
    printJson(io, { action: 'dlq edit', queue, id, outcome, ...facts })
    return
  }
  const lines = [
    `dlq edit ${id} on ${queue}`,
    ...(plan === undefined ? [] : [`  ${plan.deadLetter.reason}: ${plan.deadLetter.error}`]),
    ...changes.map((change) => `  ${change}`),
    ...(plan?.notes ?? []).map((note) => `  (${note})`),
    ...outcomeLines({ queue, id, outcome, plan }, because, io),
  ]
  for (const line of lines) io.out(oneLine(line))
}

function outcomeLines(
  { queue, id, outcome, plan }: Omit<Reported, 'result'>,
  because: string = '',
  { change }: Io,
): readonly string[] {
  const why = change.why === undefined ? ' --why "…"' : ''
  const command = `  ${change.line} --apply ${plan?.name ?? ''}${why}`
  switch (outcome) {
    case 'planned':
      return ['Nothing was changed: this is the plan. To make the change:', command]
    case 'another plan':
      return [
        'Refused: nothing was changed. --apply expects the name of the plan that you have seen. This is the plan. To make the change:',
        command,
      ]
    case 'applied':
      return [
        `Done, and recorded as done by ${change.by}. The corrected dead letter is on the queue. To run it: lineclear dlq redrive ${positionalWords(queue)} ${optionWord('--id', id)}`,
      ]
    case 'nothing':
      return [`Nothing to do: ${because}.`]
    case 'missing':
      return [`Not found: ${because}.`]
    case 'held':
      return [
        `Not found: ${because}; but another reader, or a command that was killed, holds some of them. Type it again in a minute.`,
      ]
    case 'impossible':
      return [`Not possible: ${because}. Nothing was changed.`]
    case 'outdated':
      return [`Refused: ${because}. Nothing was changed. Run the command again.`]
    case 'refused':
      return [`Not done: ${because}. Run the command again: nothing of it runs twice.`]
  }
}

/** Its owner alone may read the file. */
async function writePayload(
  queue: string,
  id: string,
  file: string,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { deadLetters } = await withProgress(io, 'looked at', (progress) =>
    peekDeadLetters({ queue, ids: [id], count: 1, ...sharedOptions(io, progress, signal) }),
  )
  const [deadLetter] = deadLetters
  const outcome = deadLetter === undefined ? 'missing' : 'written'
  if (deadLetter !== undefined) {
    await writeFile(file, deadLetter.envelope.body, { mode: 0o600, flag: 'wx' }).catch(
      (error: unknown) => {
        throw new UsageError(`--to-file: ${messageOf(error)}`)
      },
    )
  }
  if (io.json) printJson(io, { action: 'dlq edit', queue, id, outcome, file })
  else {
    io.out(
      oneLine(
        deadLetter === undefined
          ? `Not found: no dead letter has the id ${id}.`
          : `The payload is in ${file}. Correct it there, then give --from-file. Nothing was changed.`,
      ),
    )
  }
  return deadLetter === undefined ? 4 : 0
}

async function readEdit(
  file: string | undefined,
  changes: readonly string[] = [],
): Promise<(payload: string) => string> {
  if (file !== undefined) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new UsageError(`--from-file: ${messageOf(error)}`)
    })
    return () => text
  }
  const given = changes.map((change) => {
    const at = change.indexOf('=')
    if (at < 1) throw new UsageError(`--set: expected PATH=JSON, got ${JSON.stringify(change)}`)
    return { path: change.slice(0, at), value: readJson('--set', change.slice(at + 1)) }
  })
  return (payload) =>
    given.reduce((text, { path, value }) => {
      const next = setInJson(text, path, value)
      if (typeof next === 'string') return next
      throw new UsageError(`--set ${path}: ${next.because}. Take --to-file and --from-file`)
    }, payload)
}

/** `FILE#export`; without an export the default one. The payload itself stays as it is given. */
async function readSchema(given: string | undefined): Promise<(payload: string) => Promise<void>> {
  if (given === undefined) return async () => {}
  const [file = '', name = 'default'] = given.split('#')
  const schema = (await loadModule('--schema', file))[name]
  if (!isSchema(schema)) {
    throw new ConfigError(
      `--schema: expected the export ${name} of ${file} to be a schema (Standard Schema: Zod, Valibot, ArkType …)`,
    )
  }
  return async (payload) => void (await parsePayload(payload, 'json', schema))
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  const holds = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return holds && '~standard' in value
}
