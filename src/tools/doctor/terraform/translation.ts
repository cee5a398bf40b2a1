import type { Values } from '../template/resolve.ts'
import type { Attributes } from './attributes.ts'

/** A resource in CloudFormation's words. `into` adds to the properties of another one. */
export type Translated =
  | { readonly id: string; readonly Type: string; readonly Properties: Values }
  | { readonly into: string; readonly Properties: Values }

export interface Translation {
  readonly id: string
  readonly of: Attributes
  /** A policy document of an attribute, also of another resource. */
  readonly document: (name: string, of?: Attributes) => unknown
  /** The attributes of another resource. */
  readonly other: (id: string) => Attributes | undefined
}
