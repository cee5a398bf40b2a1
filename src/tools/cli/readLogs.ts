import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type LogQuery, type LogReport, readLog } from '../operator/log/readLog.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

/** Standard input. */
const PIPED = '-'

/** Reads one file after the other, with a progress bar. @throws UsageError for a file that cannot be read */
export async function readLogs(
  files: readonly string[],
  asked: LogQuery,
  io: Io,
): Promise<LogReport> {
  const reports: LogReport[] = []
  for (const file of files) reports.push(await readOne(file, asked, io))
  return {
    entries: reports.flatMap(({ entries }) => entries),
    lines: sumOf(reports.map(({ lines }) => lines)),
    skipped: sumOf(reports.map(({ skipped }) => skipped)),
    more: reports.some(({ more }) => more),
  }
}

async function readOne(file: string, asked: LogQuery, io: Io): Promise<LogReport> {
  if (file !== PIPED) return readFile(file, asked, io).catch(asUsageError)
  return readLog(io.stdin, asked)
}

async function readFile(file: string, asked: LogQuery, io: Io): Promise<LogReport> {
  const { size } = await stat(file)
  const progress = io.progress('bytes of the log')
  let done = 0
  try {
    return await readLog(createReadStream(file), asked, (bytes) => {
      progress.at((done += bytes), size)
    })
  } finally {
    progress.end()
  }
}

function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error) {
    throw new UsageError(`--log: expected a file that can be read, or -; ${error.message}`)
  }
  throw error
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
