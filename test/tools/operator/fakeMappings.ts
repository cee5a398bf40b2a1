import type { MappingClient } from '../../../src/tools/operator/pause/findMappings.ts'

export interface FakeMapping {
  readonly UUID: string
  readonly EventSourceArn: string
  readonly FunctionArn: string
  State: string
  readonly LastProcessingResult?: string | undefined
  readonly LastModified?: Date
}

export function fakeMapping(name: string, State = 'Enabled'): FakeMapping {
  return {
    UUID: `uuid-${name}`,
    EventSourceArn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    FunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    State,
    LastProcessingResult: 'OK',
  }
}

export function awsError(name: string): Error {
  return Object.assign(new Error(`${name} of AWS`), { name })
}

/** Lambda's mappings in memory. One in a page, so that pages are followed. */
export class FakeMappings implements MappingClient {
  readonly calls: string[] = []
  /** Thrown by the next switches, one after the other. */
  readonly errors: Error[] = []
  readonly tags: Record<string, Record<string, string>> = {}
  readonly mappings: FakeMapping[]
  /** Before a call has its effect. */
  gate: (call: string) => Promise<void> = async () => {}

  constructor(...mappings: FakeMapping[]) {
    this.mappings = mappings
  }

  stateOf(name: string): string | undefined {
    return this.mappings.find(({ UUID }) => UUID === `uuid-${name}`)?.State
  }

  set(name: string, state: string): void {
    const mapping = this.mappings.find(({ UUID }) => UUID === `uuid-${name}`)
    if (mapping !== undefined) mapping.State = state
  }

  async updateEventSourceMapping({ UUID, Enabled }: { UUID: string; Enabled: boolean }) {
    const call = `${Enabled ? 'enable' : 'disable'} ${UUID}`
    this.calls.push(call)
    await this.gate(call)
    const error = this.errors.shift()
    if (error !== undefined) throw error
    const mapping = this.mappings.find((each) => each.UUID === UUID)
    if (mapping === undefined) throw awsError('ResourceNotFoundException')
    mapping.State = Enabled ? 'Enabled' : 'Disabled'
    return { State: Enabled ? 'Enabling' : 'Disabling' }
  }

  async getEventSourceMapping({ UUID }: { UUID: string }) {
    const mapping = this.mappings.find((each) => each.UUID === UUID)
    if (mapping === undefined) throw awsError('ResourceNotFoundException')
    return { ...mapping }
  }

  async listEventSourceMappings(of: {
    EventSourceArn?: string
    FunctionName?: string
    Marker?: string
  }) {
    const found = this.mappings.filter(
      ({ EventSourceArn, FunctionArn }) =>
        (of.EventSourceArn === undefined || of.EventSourceArn === EventSourceArn) &&
        (of.FunctionName === undefined || FunctionArn.endsWith(`:${of.FunctionName}`)),
    )
    if (of.FunctionName !== undefined && found.length === 0) {
      throw awsError('ResourceNotFoundException')
    }
    const page = Number(of.Marker ?? 0)
    const more = page + 1 < found.length ? { NextMarker: String(page + 1) } : {}
    return {
      EventSourceMappings: found.slice(page, page + 1).map((each) => ({ ...each })),
      ...more,
    }
  }

  async listTags({ Resource }: { Resource: string }) {
    return { Tags: this.tags[Resource.split(':').at(-1) ?? ''] ?? {} }
  }
}
