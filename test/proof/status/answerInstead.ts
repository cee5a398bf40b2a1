/** For clients that call nobody. */
export const CREDENTIALS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  maxAttempts: 1,
}

interface Client {
  readonly middlewareStack: {
    add(
      middleware: (
        next: unknown,
        context: { readonly commandName?: string },
      ) => (call: { readonly input: object }) => Promise<{ output: object; response: object }>,
      options: object,
    ): void
  }
}

/** @param answer what AWS answers to an operation, such as `Query`, or throws */
export function answerInstead(
  client: unknown,
  answer: (operation: string, input: object) => object,
): void {
  const { middlewareStack } = client as Client
  middlewareStack.add(
    (_, { commandName = '' }) =>
      async ({ input }) => {
        const given = answer(commandName.replace(/Command$/, ''), input)
        const output = { ...(JSON.parse(JSON.stringify(given)) as object), $metadata: {} }
        return { output, response: {} }
      },
    { step: 'initialize', priority: 'low', name: 'answerInstead' },
  )
}

/** @param what of which the role has no permission */
export function accessDenied(what: string): Error {
  return awsError('AccessDeniedException', `User: ann is not authorized to perform: ${what}`)
}

export function awsError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}
