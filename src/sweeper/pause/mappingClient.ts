/**
 * Switches event source mappings on and off. `new Lambda()` of `@aws-sdk/client-lambda` fits.
 * @example
 * import { Lambda } from '@aws-sdk/client-lambda'
 *
 * const lambda: MappingSwitch = new Lambda()
 * sweepHandler({ store, lambda })
 */
export interface MappingSwitch {
  updateEventSourceMapping(input: {
    UUID: string
    Enabled: boolean
  }): Promise<{ readonly State?: string | undefined }>
}

/** Also finds event source mappings, and the tags of their functions. */
export interface MappingClient extends MappingSwitch {
  getEventSourceMapping(input: { UUID: string }): Promise<DescribedMapping>
  listEventSourceMappings(input: {
    EventSourceArn?: string
    FunctionName?: string
    Marker?: string
  }): Promise<{
    readonly EventSourceMappings?: readonly DescribedMapping[] | undefined
    readonly NextMarker?: string | undefined
  }>
  listTags(input: {
    Resource: string
  }): Promise<{ readonly Tags?: Readonly<Record<string, string>> | undefined }>
}

export interface DescribedMapping {
  readonly UUID?: string | undefined
  readonly EventSourceArn?: string | undefined
  readonly FunctionArn?: string | undefined
  readonly State?: string | undefined
}
