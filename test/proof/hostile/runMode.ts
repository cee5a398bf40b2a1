import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'
import type { ModeName } from './modes.ts'

/** The outcome of the tests in one mode. */
export interface ModeRun {
  readonly mode: ModeName
  readonly passed: number
  readonly failed: number
  /** Tests that do not apply in this mode. */
  readonly leftOut: number
  readonly seconds: number
  /** No test failed, and at least one ran. */
  readonly isSound: boolean
  readonly failures: readonly string[]
  readonly notes: readonly Note[]
}

/** An assertion that was not made, or tests that were left out. */
export interface Note {
  readonly kind: 'narrowed' | 'left out'
  readonly why: string
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    /** Why the file could not be loaded. */
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

const ROOT = resolve(import.meta.dirname, '../../..')
const VITEST = resolve(ROOT, 'node_modules/vitest/vitest.mjs')

/** Runs the tests in a process of their own. */
export async function runMode(
  mode: ModeName,
  paths: readonly string[],
  folder: string,
  tell: (text: string) => void,
): Promise<ModeRun> {
  const report = join(folder, `${mode}.json`)
  const notes = join(folder, `${mode}.notes`)
  const began = Date.now()
  tell(`${mode} …\n`)
  const asked = ['run', '--config', 'test/proof/hostile/vitest.config.ts', '--reporter=json']
  const child = spawn(execPath, [VITEST, ...asked, `--outputFile=${report}`, ...paths], {
    cwd: ROOT,
    env: { ...env, LINECLEAR_HOSTILE_MODE: mode, LINECLEAR_HOSTILE_NOTES: notes },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  const run = { ...summed(mode, readReport(report)), notes: readNotes(notes) }
  return { ...run, seconds: Math.round((Date.now() - began) / 1_000) }
}

const NO_REPORT: Report = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  success: false,
  testResults: [],
}

function readReport(file: string): Report {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : NO_REPORT
}

function summed(mode: ModeName, report: Report): Omit<ModeRun, 'notes' | 'seconds'> {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  return {
    mode,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    leftOut: report.numPendingTests,
    isSound: report.success && report.numPassedTests > 0,
    failures: [
      ...report.testResults
        .filter(({ message }) => message !== '')
        .map(({ name, message }) => failureIn(mode, name, message)),
      ...tests
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages: [message = ''] = [] }) =>
          failureIn(mode, fullName, message),
        ),
    ],
  }
}

function failureIn(mode: ModeName, name: string, message: string): string {
  const [why = ''] = message.split('\n')
  return ` FAIL  in ${mode}: ${name}\n${why}`
}

function readNotes(file: string): readonly Note[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Note)
}
