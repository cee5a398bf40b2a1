import type { Answered, Clients } from '../checks/desk.ts'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Answer {
  readonly status: number
  readonly body: string
}

/** Where serverless.yml runs, seen from outside. */
export interface Place {
  readonly clients: Clients
  /** URLs of queues, ARNs of topics, names of buckets, by the logical names of the template. */
  readonly resources: ReadonlyMap<string, string>
  readonly answered: Answered | undefined
  /** What `lineclear` needs to call there. */
  environment(): Promise<Readonly<Record<string, string>>>
  /** A POST to the API, by a caller whom IAM knows. */
  call(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer>
  /** Invokes a function without waiting for its answer, as a schedule does. */
  invoke(name: string, event: object): Promise<void>
  /** What a function reads. */
  environmentOf(name: string): Promise<Readonly<Record<string, string>>>
  upload(bucket: string, key: string, body: string): Promise<void>
  /** Functions are cut off and throttled, until the answer is called. */
  disturb(): Promise<() => Promise<void>>
}
