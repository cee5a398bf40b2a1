import { isObject } from '../../base/kindOf.ts'

/**
 * The JSON Schema of what a schema takes, where its library offers one (Standard JSON Schema), such as zod since 4.2.
 * @returns undefined: it offers none, or the schema has something that JSON Schema cannot express
 */
export function jsonSchemaOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const jsonSchema = (schema as Partial<Offering> | undefined)?.['~standard']?.jsonSchema
  try {
    const made = jsonSchema?.input?.({
      target: 'draft-2020-12',
      libraryOptions: { unrepresentable: 'any' },
    })
    // Plain data: it is sent to another process.
    const data: unknown = made === undefined ? undefined : JSON.parse(JSON.stringify(made))
    return isObject(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** https://standardschema.dev/json-schema */
interface Offering {
  readonly '~standard': {
    readonly jsonSchema?: { readonly input?: (options: object) => unknown }
  }
}
