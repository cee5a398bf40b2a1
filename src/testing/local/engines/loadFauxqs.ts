import { ConfigError, messageOf } from '../../../base/errors.ts'
import { receiveWholeGroups } from './fifoGroups.ts'

/** Loads fauxqs, only for clouds with queues or topics. @throws ConfigError when it is not installed */
export async function loadFauxqs(): Promise<typeof import('fauxqs')> {
  try {
    const fauxqs = await import('fauxqs')
    await Promise.all([acceptAllOfUnicode(), groupsAtOnce()])
    return fauxqs
  } catch (error) {
    throw new ConfigError(
      `startLocalCloud: queues and topics need the package fauxqs, which could not be loaded (${messageOf(error)}). Install it: npm install --save-dev fauxqs`,
      { cause: error },
    )
  }
}

/**
 * fauxqs 2.4.1 refuses bodies with characters above U+FFFF, because its pattern lacks the flag u. SQS accepts them
 * (API_SendMessage.html), so the pattern that all its checks share is patched. A version without the bug is not changed.
 */
async function acceptAllOfUnicode(): Promise<void> {
  const rules = await importInternals('sqsTypes')
  const pattern = rules?.INVALID_MESSAGE_BODY_CHAR
  if (!(pattern instanceof RegExp) || !pattern.test('\u{1F600}')) return
  const refused = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u
  pattern.test = (text) => refused.test(text)
}

interface Internals {
  readonly INVALID_MESSAGE_BODY_CHAR?: unknown
  readonly SqsQueue?: {
    readonly prototype: { dequeueFifo?: Parameters<typeof receiveWholeGroups>[0] }
  }
}

const patched = new WeakSet<object>()

async function groupsAtOnce(): Promise<void> {
  const { prototype } = (await importInternals('sqsStore'))?.SqsQueue ?? {}
  if (prototype?.dequeueFifo === undefined || patched.has(prototype)) return
  patched.add(prototype)
  prototype.dequeueFifo = receiveWholeGroups(prototype.dequeueFifo)
}

async function importInternals(file: 'sqsTypes' | 'sqsStore'): Promise<Internals | undefined> {
  try {
    return (await import(
      new URL(`./sqs/${file}.js`, import.meta.resolve('fauxqs')).href
    )) as Internals
  } catch {
    return undefined
  }
}
