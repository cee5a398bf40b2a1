import { id } from '../commands/kinds.ts'
import { commandLine } from '../operator/text/commandLine.ts'
import { readToken } from '../../library/protocol/claim/token/token.ts'
import { splitId } from '../operator/text/itemId.ts'
import { readRequest, type StoredRequest } from '../operator/explain/readRequest.ts'
import { printChange } from './change.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { explainItems } from './explain.ts'
import { findCommand } from './findCommand.ts'

export const redriveOne: Command = command({
  words: 'redrive',
  summary: 'send the dead letters of one id back: dlq redrive on their queue',
  arguments: {
    id: {
      kind: id,
      help: 'consumer/ID or flow/KEY, as lineclear explain takes it; or a uniquerequestid or SQS message id, which is sought on all dead-letter queues',
    },
  },
  options: {},
  examples: ['redrive orders/order-17'],
  receives: true,
  run: async ({ id: of }, io) => redriveId(of, io),
})

/** The plan is one of `dlq redrive`, which goes on with it by its name. */
async function redriveId(of: string, io: Io): Promise<ExitCode> {
  const args = await redriveOf(of, io)
  if (args === undefined) {
    const because = 'the table knows of no dead letter of it that could be sent back'
    const next = commandLine(['explain', ...(of.startsWith('-') ? ['--'] : []), of])
    return printChange({ action: 'redrive', id: of, outcome: 'impossible', because, next }, io)
  }
  const { command: own, args: rest } = findCommand(args, io.commands)
  return own.run(rest, { ...io, change: { ...io.change, args } })
}

/** The dead letters that `explain` advises about, whatever it advises: the cause may have been repaired since. */
async function redriveOf(of: string, io: Io): Promise<readonly string[] | undefined> {
  const found = of.includes('/') ? await readRequest(io.reader(), of) : []
  if (found.length === 0) return ['dlq', 'redrive', '--all', `--id=${of}`]
  const parts = await explainItems(found, undefined, io)
  const letters = parts
    .flatMap(({ facts }) => facts.advice)
    .filter(({ action = '' }) => action.startsWith('dlq.'))
  const ids = textsOf(letters.map(({ given }) => given['id']))
  const [queue, ...others] = textsOf(letters.map(({ given }) => given['queue']))
  if (ids.length === 0) return movedOf(found)
  const where = queue === undefined || others.length > 0 ? '--all' : queue
  return ['dlq', 'redrive', where, ...ids.map((each) => `--id=${each}`)]
}

/**
 * SQS moves the message of a function that is killed each time, and stamps nothing on it: it is known by its message id, or by the id in
 * its payload.
 */
function movedOf(found: readonly StoredRequest[]): readonly string[] | undefined {
  const tokens = found.flatMap(({ items }) => items.flatMap((item) => readToken(item) ?? []))
  const [token, ...others] = tokens
  if (token?.status !== 'inProgress' || others.length > 0) return undefined
  const { rest } = splitId(token.pk)
  const by = MESSAGE_ID.test(rest) ? `--id=${rest}` : `--match=${rest}`
  return ['dlq', 'redrive', '--all', '--reason=moved', by]
}

/** SQS and SNS name a message by a UUID. */
const MESSAGE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Each once. What only the operator knows is left out. */
function textsOf(given: readonly unknown[]): readonly string[] {
  return [...new Set(given.flat().filter((each) => typeof each === 'string'))]
}
