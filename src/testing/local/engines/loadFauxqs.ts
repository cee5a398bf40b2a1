import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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
      `startLocalCloud: queues and topics need the package fauxqs, which could not be loaded (${messageOf(error)}). ${cureOf(error)}`,
      { cause: error },
    )
  }
}

/** It is an ES module. */
function cureOf(error: unknown): string {
  const isJest = messageOf(error).includes('--experimental-vm-modules')
  return isJest
    ? 'A test of jest cannot load it: start the cloud in globalSetup, and join it in the test with joinLocalCloud'
    : 'Install it: npm install --save-dev fauxqs'
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
    return (await import(pathToFileURL(pathInFauxqs(`dist/sqs/${file}.js`)).href)) as Internals
  } catch {
    return undefined
  }
}

/** Its `exports` opens one file, and only for `import`. */
function pathInFauxqs(file: string): string {
  const folders = createRequire(import.meta.url).resolve.paths('fauxqs') ?? []
  return folders.map((folder) => join(folder, 'fauxqs', file)).find(existsSync) ?? file
}
