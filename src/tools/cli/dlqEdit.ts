import { readFile, writeFile } from 'node:fs/promises'
import { messageOf } from '../../library/base/errors.ts'
import { changesBetween, setInJson } from '../operator/dlq/jsonChange.ts'
import { editDeadLetter, type EditPlan } from '../operator/dlq/edit.ts'
import { peekDeadLetters } from '../operator/dlq/look.ts'
import { optionWord, positionalWords } from '../operator/text/commandLine.ts'
import { printChange, type Change, type Made, offer, type Told } from './change.ts'
import { file, id, kind, name, namedJson, queue } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { sharedOptions } from './dlqOptions.ts'
import { withProgress } from './terminal.ts'
import { loadSchema } from './loadModule.ts'
import { UsageError } from './usageError.ts'

export const edit: Command = command({
  words: 'dlq edit',
  summary: 'correct the payload of one dead letter; its identity stays, and no effect is repeated',
  about: ['Then redrive it.'],
  arguments: {
    queue: { kind: queue, help: 'name, URL or ARN of a dead-letter queue', page: true },
  },
  options: {
    id: { kind: id, help: 'its uniquerequestid or SQS message id', required: true, page: true },
    set: {
      kind: namedJson('PATH'),
      help: `a value of a JSON payload: total=17, lines.0.sku='"a"', or a JSON pointer; . is all of it`,
      many: true,
      page: true,
    },
    toFile: { kind: file, help: 'write the payload there; nothing is changed' },
    fromFile: { kind: file, help: 'take the payload from there' },
    schema: {
      kind: kind('FILE#EXPORT', (text) => text),
      help: "the consumer's schema (Standard Schema), exported by a module; what it refuses is not sent",
    },
    consumer: { kind: name, help: 'its consumer, if SQS moved it and it names none', page: true },
  },
  examples: ['dlq edit orders-dead --id order-17 --set total=1800 --schema ./order.ts#order'],
  changes: 'plan',
  receives: true,
  run: async (given, io, signal) => {
    const { queue, id, set, toFile, fromFile, consumer } = given
    const from = [fromFile, set[0], toFile].filter((each) => each !== undefined)
    if (from.length !== 1) {
      throw new UsageError(
        'edit: expected one of --to-file FILE, --from-file FILE, --set PATH=JSON',
      )
    }
    if (toFile !== undefined) return writePayload(queue, id, toFile, io, signal)
    const edit = await readEdit(fromFile, set)
    const refuses = given.schema === undefined ? undefined : await loadSchema(given.schema)
    const told: Pick<Told, 'action' | 'id'> = { action: 'dlq edit', id: `${queue} ${id}` }
    const ended = await withProgress(io, 'looked at', async (progress) => {
      const shared = sharedOptions(io, progress, signal)
      const options = { queue, id, consumer, store: io.store(), edit, args: io.change.args }
      return editDeadLetter({
        ...options,
        ...shared,
        offer: async (plan) => {
          const refusal = await refuses?.(plan.after)
          if (refusal === undefined) return offer(changeOf(plan, told, queue, id), io)
          const because = `the new payload is refused: ${refusal}`
          return printChange({ ...told, outcome: 'impossible', because }, io)
        },
      })
    })
    if ('offered' in ended) return ended.offered
    return printChange(
      { ...told, ...ended, ...(ended.outcome === 'incomplete' && heldBy(ended)) },
      io,
    )
  },
})

function changeOf(
  plan: EditPlan,
  told: Pick<Told, 'action' | 'id'>,
  queue: string,
  id: string,
): Change {
  const { name, deadLetter, before, after, notes } = plan
  return {
    ...told,
    name,
    now: [`${deadLetter.reason}: ${deadLetter.error}`],
    after: changesBetween(before, after),
    lines: notes,
    apply: async ({ by, record }) => {
      const { outcome, because = '' } = await record(async () => {
        const end = await plan.apply()
        return [end.outcome, end]
      })
      if (outcome === 'applied') return { outcome, ...redriveNext(by, queue, id) }
      if (outcome === 'outdated') return { outcome }
      const said = `Not done: ${because}. Run the command again: nothing of it runs twice.`
      return { outcome, because, said }
    },
  }
}

function redriveNext(by: string, queue: string, id: string): Pick<Made, 'said' | 'next'> {
  return {
    said: `Done, and recorded as done by ${by}. The corrected dead letter is on the queue. To run it:`,
    next: `lineclear dlq redrive ${positionalWords(queue)} ${optionWord('--id', id)}`,
  }
}

function heldBy({ because }: { readonly because: string }): Pick<Made, 'said'> {
  return {
    said: `Not found: ${because}; but another reader, or a command that was killed, holds some of them. Type it again in a minute.`,
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
    peekDeadLetters({ queue, ids: [id], ...sharedOptions(io, progress, signal) }, 1),
  )
  const [deadLetter] = deadLetters
  const told = { action: 'dlq edit', id: `${queue} ${id}` }
  if (deadLetter === undefined) {
    return printChange(
      { ...told, outcome: 'missing', because: `no dead letter has the id ${id}` },
      io,
    )
  }
  await writeFile(file, deadLetter.envelope.body, { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      throw new UsageError(`--to-file: ${messageOf(error)}`)
    },
  )
  const said = `The payload is in ${file}. Correct it there, then give --from-file. Nothing was changed.`
  return printChange({ ...told, outcome: 'written', said, facts: { file } }, io)
}

async function readEdit(
  from: string | undefined,
  changes: readonly (readonly [path: string, value: unknown])[],
): Promise<(payload: string) => string> {
  if (from !== undefined) {
    const text = await readFile(from, 'utf8').catch((error: unknown) => {
      throw new UsageError(`--from-file: ${messageOf(error)}`)
    })
    return () => text
  }
  return (payload) =>
    changes.reduce((text, [at, value]) => {
      const next = setInJson(text, at, value)
      if (typeof next === 'string') return next
      throw new UsageError(
        `--set ${at}: ${next.because}. Take --set .=JSON for all of it, or --to-file and --from-file`,
      )
    }, payload)
}
