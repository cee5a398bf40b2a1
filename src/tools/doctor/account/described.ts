import type { DeploymentPart, SilentTopic, UncheckedPart, UnreadResource } from '../deployment.ts'
import type { Resource } from '../template/resolve.ts'

/** What AWS describes, by ARN and in the words of CloudFormation, which are nearly its own. */
export interface DescribedResources {
  readonly resources: readonly (readonly [arn: string, Resource])[]
  readonly unseen: readonly UncheckedPart[]
  /** Single resources that could not be read, while others of their kind were. */
  readonly unread?: readonly UnreadResource[]
  readonly silentTopics?: readonly SilentTopic[]
}

export function unseen(
  parts: readonly DeploymentPart[],
  why: string,
  cure?: string,
): readonly UncheckedPart[] {
  return parts.map((part) => ({ part, why, ...(cure !== undefined && { cure }) }))
}

/** AWS denies this call to these credentials. What it would have shown is said to be unread, and everything else is still read. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && /^(AccessDenied|AuthorizationError)/.test(error.name)
}

/** `arn:aws:SERVICE:REGION:…`. */
export function regionOf(arn: string): string {
  return arn.split(':')[3] ?? ''
}
