/** `new Date()` without an argument reads the machine's clock, which no-restricted-properties cannot see. */
const newDate = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.name !== 'Date' || node.arguments.length > 0) return
      context.report({
        node,
        message: 'Ask the clock that was handed in: tests and the model drive it.',
      })
    },
  }),
}

export default { meta: { name: 'clock' }, rules: { 'no-new-date': newDate } }
