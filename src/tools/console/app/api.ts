import { type ReadonlySignal, signal } from '@preact/signals'
import { type Query, searchOf } from './address.ts'
import type { Question } from '../form.ts'
import type { AnswerCost, Session } from './answers.ts'

export interface Common {
  readonly version: number
  readonly at: string
  readonly command: string
  readonly line: string
  readonly exit: number
  readonly cost: AnswerCost
}

/** A request that gave no answer. `status` 0: the server does not answer at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  readonly status: number
  /** What to do, a sentence each. */
  readonly help: readonly string[]

  constructor(status: number, message: string, help: readonly string[] = []) {
    super(message)
    this.status = status
    this.help = help
  }

  static of(error: unknown): ApiError {
    return error instanceof ApiError ? error : new ApiError(500, String(error))
  }
}

export async function getAnswer<Fields>(
  route: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Common & Fields> {
  const search = searchOf(query)
  return send<Fields>(`/api/${route}${search === '' ? '' : `?${search}`}`, signal && { signal })
}

export async function postAnswer<Fields>(
  route: string,
  body: object,
  signal?: AbortSignal,
): Promise<Common & Fields> {
  return send<Fields>(`/api/${route}`, {
    method: 'POST',
    ...(signal && { signal }),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/**
 * The response itself, such as a stream of lines.
 * @throws ApiError
 */
export async function open(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), 'x-lineclear-token': token() }
  let response: Response
  try {
    response = await fetch(path, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiError(0, 'The console’s server does not answer.', GONE)
  }
  if (!response.ok) throw await refusalOf(response)
  return response
}

const GONE = [
  'The server ends with its terminal. Start the same command again there.',
  'This page continues when the server is back on this port.',
]
const NO_TOKEN = [
  'The URL that the command printed contains a token. This tab has no valid token: the server was restarted, or the address was typed.',
  'Open the URL from the terminal. If it is lost, end the command with Ctrl-C and start it again.',
]

async function send<Fields>(path: string, init?: RequestInit): Promise<Common & Fields> {
  const response = await open(path, init)
  const answer = (await response.json()) as Common & Fields & ErrorBody
  // That there is no such queue is an answer of the command too, and has none of the fields of the others. Handlers that are broken
  // have an error without help.
  if (answer.error?.help !== undefined) throw errorOf(response.status, answer)
  return answer
}

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly help?: readonly string[] }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status } = response
  if (status === 401)
    return new ApiError(401, 'The server refuses requests from this tab.', NO_TOKEN)
  return errorOf(status, (await response.json().catch(() => ({}))) as ErrorBody)
}

function errorOf(status: number, { error: { message, help } = {} }: ErrorBody): ApiError {
  return new ApiError(status, message ?? `The server answered with ${status}.`, help)
}

const KEY = 'lineclear-token'

/** The token comes in the fragment, which no server and no log sees. It is erased from the address, and kept for this tab only. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return
  sessionStorage.setItem(KEY, given)
  history.replaceState(null, '', location.pathname + location.search)
}

function token(): string {
  return sessionStorage.getItem(KEY) ?? ''
}

const shown = signal<Session | undefined>(undefined)
const failed = signal<ApiError | undefined>(undefined)

/** What the console looks at; undefined until the server has answered. */
export const session: ReadonlySignal<Session | undefined> = shown
export const sessionFailure: ReadonlySignal<ApiError | undefined> = failed

/** Milliseconds. */
const AGAIN = 2_000

interface Told {
  readonly session: Session
  readonly questions: Readonly<Record<string, readonly Question[]>>
}

let asked: Told['questions'] = {}

/** What an action asks for, in the words of its command's help. */
export function questions(action: string, ...names: readonly string[]): readonly Question[] {
  return asked[action]?.filter(({ name }) => names.includes(name)) ?? []
}

/** Asks until there is an answer. A wrong token stays wrong. */
export async function loadSession(): Promise<void> {
  try {
    const told = await getAnswer<Told>('session')
    asked = told.questions
    shown.value = told.session
    failed.value = undefined
  } catch (error) {
    failed.value = error instanceof ApiError ? error : new ApiError(0, String(error))
    if (failed.value.status !== 401) setTimeout(() => void loadSession(), AGAIN)
  }
}
