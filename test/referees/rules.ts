import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { env } from 'node:process'
import { isDeepStrictEqual } from 'node:util'
import { RULES } from '../testing/local/engines/rules/all.ts'
import { answersOf } from '../testing/local/engines/rules/ask.ts'
import type { Referee } from './engines.ts'

const FILE = resolve(import.meta.dirname, 'differences.json')

/** By rule, what an engine answers where AWS answers otherwise. */
export type Differences = Readonly<Record<string, unknown>>

/** Asks an engine for every rule. @param atOnce some answer one request after the other */
export async function differencesOn(endpoint: string, atOnce?: number): Promise<Differences> {
  const answers = await answersOf(endpoint, atOnce)
  const wrong = answers.filter(([, answer], nth) => !isDeepStrictEqual(answer, RULES[nth]?.answers))
  return Object.fromEntries(wrong.map(([rule, answer]) => [rule, answer ?? 'nothing']))
}

/** Those that are known. With LINECLEAR_DIFFERENCES=write they are those that were found. */
export function knownOn({ name, version }: Referee, found: Differences): Differences {
  const engine = `${name} ${version}`
  const all = existsSync(FILE)
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Differences>>)
    : {}
  if (env['LINECLEAR_DIFFERENCES'] !== 'write') return all[engine] ?? {}
  writeFileSync(FILE, `${JSON.stringify({ ...all, [engine]: found }, null, 2)}\n`)
  return found
}
