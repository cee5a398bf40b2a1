import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BooksAnswer, DevState } from '../../../../src/tools/console/dev/types.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../../..')

/** A folder as users have it: their code, and the packages that it loads. */
export async function projectFolder(from: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lineclear-dev-'))
  await cp(join(REPOSITORY, from), folder, { recursive: true })
  const packages = join(folder, 'node_modules')
  await mkdir(packages)
  await symlink(REPOSITORY, join(packages, 'lineclear'))
  for (const name of ['zod', 'vitest', '@aws-lambda-powertools', '@aws-sdk']) {
    await symlink(join(REPOSITORY, 'node_modules', name), join(packages, name))
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

/** `lineclear dev` as a process, and its routes. */
export interface DevProcess extends AsyncDisposable {
  readonly folder: string
  /** Where its pages are. */
  readonly served: { readonly origin: string; readonly token: string }
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body: object): Promise<Answer>
  state(): Promise<DevState>
  /** The state of a book, with what is offending. */
  book(name: string): Promise<string>
  written(): string
  /** @param signal by default that of Ctrl-C @returns the exit code */
  end(signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): Promise<number | null>
}

export async function startDevProcess(
  folder: string,
  ...args: readonly string[]
): Promise<DevProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=lineclear:source', join(REPOSITORY, 'src/tools/cli/main.ts'), 'dev', ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // As in a terminal: the tests silence it.
      env: { ...process.env, POWERTOOLS_LOG_LEVEL: undefined },
    },
  )
  let written = ''
  const listen = (chunk: Buffer): void => void (written += chunk.toString())
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const exited = once(child, 'exit') as Promise<[number | null]>
  const [, origin = '', token = ''] = await until(() => {
    if (child.exitCode !== null) throw new Error(`it has ended: ${written}`)
    return /(?<!, )(http:\/\/[^/]+)\/#token=(\S+)/.exec(written)
  })
  const end: DevProcess['end'] = async (signal = 'SIGINT') => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { 'x-lineclear-token': token, 'content-type': 'application/json' }
    const response = await fetch(`${origin}/api/${path}`, { headers, ...init })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer as Answer
  }
  const get = async <Answer>(path: string): Promise<Answer> => ask(path)
  return {
    folder,
    served: { origin, token },
    get,
    post: async (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    state: async () => get('dev'),
    book: async (name) => {
      const { books } = await get<BooksAnswer>('dev/books')
      const { state, offending = [] } = books.find((each) => each.name === name) ?? {}
      return [state, ...offending.map(({ text }) => text)].join(' ')
    },
    written: () => written,
    end,
    [Symbol.asyncDispose]: async () => {
      if (isRunning(child)) await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

/** Resolves with what `look` finds. On a busy machine it may take a hundred times as long as here. */
export async function until<Found>(
  look: () => Promise<Found | undefined | null | false> | Found | undefined | null | false,
): Promise<Found> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    await sleep(30)
  }
}
