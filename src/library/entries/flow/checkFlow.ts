import { isObject } from '../../base/kindOf.ts'
import { optionsOf } from '../consumer/optionTable.ts'
import { assertKnown, hasMembers, wrongOption, toMilliseconds } from '../../base/options.ts'
import { ConfigError } from '../../base/errors.ts'
import type { AwaitOptions } from './options.ts'
import { FAILURE_PART } from '../../protocol/claim/stage/endReport.ts'

const NAME = /^[\w.-]{1,128}$/
/** Excludes the separators of marks, entries and keys. */
const PART = /^[\w-]{1,64}$/
const FINAL: readonly unknown[] = [undefined, true, false]

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks what the types cannot express and what JavaScript callers can get wrong. The other options are checked as those of a
 * consumer.
 */
export function checkFlow(options: unknown): void {
  const given = fields('defineFlow', 'the options', options)
  const { name } = given
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw wrongOption('defineFlow', 'name', 'letters, digits, ".", "_" or "-", at most 128', name)
  }
  const who = `defineFlow('${name}')`
  assertKnown(who, given, optionsOf('flow'))
  checkParts(who, 'stages', given['stages'], optionsOf('stage'))
  checkParts(who, 'awaitingSteps', given['awaitingSteps'] ?? {}, optionsOf('step'))
  checkNames(who, given)
  checkFailure(who, given)
  checkPolicies(who, given)
  if (fields(who, 'retry', given['retry'] ?? {})['maxAge'] !== undefined) {
    const instead = 'giveUpAfter instead, for the run as a whole'
    throw wrongOption(who, 'retry.maxAge', instead, 'an option of records')
  }
  if (typeof given['key'] !== 'function') {
    throw wrongOption(who, 'key', 'a function, such as (payload) => payload.cartId', given['key'])
  }
  if (given['id'] !== undefined && typeof given['sentAt'] !== 'function') {
    const why = 'a request that is sent twice has two sending times, and would pass for a newer one'
    throw wrongOption(who, 'sentAt', `a function beside id (${why})`, given['sentAt'])
  }
}

function checkParts(who: string, option: string, parts: unknown, known: readonly string[]): void {
  for (const [name, part] of Object.entries(fields(who, option, parts))) {
    const path = `${option}.${name}`
    if (!PART.test(name)) {
      throw wrongOption(who, path, 'a name of letters, digits, "_" or "-", at most 64', name)
    }
    const own = fields(who, path, part)
    const refuse = (member: string, expected: string): ConfigError =>
      wrongOption(who, `${path}.${member}`, expected, own[member])
    assertKnown(who, own, known, `${path}.`)
    for (const url of ['queueUrl', 'deadLetterQueueUrl']) {
      if (!(url in own) || own[url] !== undefined) continue
      const unset = 'is its environment variable set? Else leave the option out'
      throw refuse(url, `the URL of a queue (${unset})`)
    }
    if (!FINAL.includes(own['final'])) throw refuse('final', 'true')
    if (own['schema'] === undefined) throw refuse('schema', 'a Standard Schema')
    if (own['circuitBreaker'] !== undefined && !hasMembers(own['circuitBreaker'], 'openFor')) {
      throw refuse('circuitBreaker', 'circuitBreaker({ after, when })')
    }
    if (option === 'awaitingSteps' && typeof own['id'] !== 'function') {
      throw refuse('id', 'a function, such as (payload) => payload.searchId')
    }
  }
}

function checkNames(who: string, { stages, awaitingSteps }: Fields): void {
  const names = Object.keys(fields(who, 'stages', stages))
  if (names.length === 0) throw wrongOption(who, 'stages', 'at least one stage', undefined)
  const twice = Object.keys(fields(who, 'awaitingSteps', awaitingSteps ?? {})).find((name) =>
    names.includes(name),
  )
  if (twice !== undefined) {
    throw wrongOption(who, `awaitingSteps.${twice}`, 'a name that no stage has', twice)
  }
  checkFormerNames(who, { stages, awaitingSteps })
}

function checkFailure(who: string, { failures, stages, awaitingSteps }: Fields): void {
  if (failures === undefined) return
  const own = fields(who, 'failures', failures)
  assertKnown(who, own, ['queueUrl', 'deadLetterQueueUrl', 'concurrency'], 'failures.')
  if (typeof own['queueUrl'] !== 'string' || own['queueUrl'] === '') {
    const expected = 'the URL of the queue of failureHandler (is its environment variable set?)'
    throw wrongOption(who, 'failures.queueUrl', expected, own['queueUrl'])
  }
  const parts = { ...fields(who, 'stages', stages), ...fields(who, 'steps', awaitingSteps ?? {}) }
  if (FAILURE_PART in parts) {
    throw wrongOption(who, FAILURE_PART, 'no stage or step of that name beside it', FAILURE_PART)
  }
}

/** If two parts had one name, now or formerly, a run could continue in either of them. */
function checkFormerNames(who: string, { stages, awaitingSteps }: Fields): void {
  const taken = new Set([
    ...Object.keys(fields(who, 'stages', stages)),
    ...Object.keys(fields(who, 'awaitingSteps', awaitingSteps ?? {})),
  ])
  for (const [option, parts] of Object.entries({ stages, awaitingSteps: awaitingSteps ?? {} })) {
    for (const [name, part] of Object.entries(fields(who, option, parts))) {
      const path = `${option}.${name}.formerNames`
      const { formerNames = [] } = fields(who, path, part)
      if (!Array.isArray(formerNames)) throw wrongOption(who, path, 'a list of names', formerNames)
      for (const former of formerNames) {
        const isName = typeof former === 'string' && PART.test(former)
        if (!isName || taken.has(former)) {
          throw wrongOption(who, path, 'names that no other stage or step has, or had', former)
        }
        taken.add(former)
      }
    }
  }
}

const PROCESSES: readonly unknown[] = [undefined, 'newest', 'every']
const CONFLICTS: readonly unknown[] = [undefined, 'defer', 'drop', 'supersede', 'coalesce']

function checkPolicies(who: string, { process, onConflict }: Fields): void {
  if (!PROCESSES.includes(process))
    throw wrongOption(who, 'process', "'newest' or 'every'", process)
  if (!CONFLICTS.includes(onConflict)) {
    throw wrongOption(who, 'onConflict', "'defer', 'drop', 'supersede' or 'coalesce'", onConflict)
  }
  if (process === 'every' && (onConflict === 'supersede' || onConflict === 'coalesce')) {
    const expected =
      "'defer' or 'drop': with process 'every' no request may be given up for another"
    throw wrongOption(who, 'onConflict', expected, onConflict)
  }
}

function fields(who: string, option: string, value: unknown): Fields {
  if (isObject(value)) return value
  throw wrongOption(who, option, 'an object', value)
}

interface Times {
  readonly giveUpAfter: number
  readonly awaitingSteps: Readonly<
    Record<string, Pick<AwaitOptions, 'timeout' | 'grace' | 'queueUrl'>>
  >
}

/** Checks the times when the flow is defined. Otherwise the first request that uses one would fail. */
export function checkTimes(who: string, { giveUpAfter, awaitingSteps }: Times): void {
  if (giveUpAfter === 0) {
    throw new ConfigError(`${who}: giveUpAfter: expected more than 0; no request could ever run`)
  }
  for (const [name, { timeout, grace = 0, queueUrl }] of Object.entries(awaitingSteps)) {
    toMilliseconds(`${who}: awaitingSteps.${name}.timeout`, timeout ?? 0)
    toMilliseconds(`${who}: awaitingSteps.${name}.grace`, grace)
    if (timeout === undefined || queueUrl !== undefined) continue
    throw new ConfigError(
      `${who}: awaitingSteps.${name}.queueUrl: expected the URL of the queue where its answers arrive, because the reminder of ` +
        `awaitingSteps.${name}.timeout goes there; got nothing`,
    )
  }
}

/** A run that lasts longer than messages are run would lose what belongs to it. */
export function checkGiveUp(
  who: string,
  { giveUpAfter, retention }: { readonly giveUpAfter: number; readonly retention: number },
): void {
  // @protects a run does not last longer than messages are run
  // @without true @tests test/proof/lifetimes
  if (giveUpAfter <= retention) return
  throw new ConfigError(
    `${who}: giveUpAfter: expected at most retention (30 days by default), because nothing older than that is run; got ` +
      `${giveUpAfter / 1_000} s, and retention is ${retention / 1_000} s. Raise retention, or give a shorter giveUpAfter`,
  )
}
