export const ENTRANCE = {
  title: 'This Loom asks for a token',
  why: 'It answers several people and programs, each by a token of their own. Its first start printed one; an admin mints others.',
  token: 'Token',
  placeholder: 'loom_…',
  enter: 'Open',
  kept: 'It is kept until this tab is closed.',
  empty: 'Paste a token: it begins with loom_.',
  refused: 'This token is unknown, expired or revoked.',
  everyOrg: 'This token is of every org, and this window shows one. Take a token of one org.',
  tooMany: (seconds: number) => `Too many tries. Wait ${seconds} seconds.`,
  noAnswer: 'Loom does not answer. Try again in a moment.',
  windowTitle: 'The Loom that runs on your memories asks for a token',
  windowWhy:
    'It was started by another program in multi mode. Start this window with LOOM_API_KEY set to your token, or end the other program first.',
}
