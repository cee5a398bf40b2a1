let [passed, failed] = [0, 0]

/** Prints whether the work fails, and counts it. */
export async function check(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    passed += 1
    console.log(`ok      ${what}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED  ${what}\n${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @returns whether all was well */
export function printTotal(): boolean {
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0
}
