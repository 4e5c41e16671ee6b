import assert from 'node:assert/strict'
import { SEVEN } from './exams.ts'
import { call, type Product } from './product.ts'

type Headers = Record<string, string>
export type Somebody = { email: string; access_token: string; headers: Headers }

const PASSWORD = 'correct horse 42'
const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

/** Registers a person at the site `learning` and signs them in. */
export async function somebody(product: Product, email: string): Promise<Somebody> {
  const headers = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
  await call(`${product.sso}/api/v1/auth/register`, { headers, body: { email, password: PASSWORD } })
  return signedIn(product, email, PASSWORD)
}

/**
 * The admin created at the first start, signed in at the site `learning`. In a program that files share, that site is
 * the own one, whose ADMIN is somebody else.
 */
export const theAdmin = async (product: Product & { owner?: Somebody }): Promise<Somebody> =>
  product.owner ?? signedIn(product, product.firstRun.admin.email, product.firstRun.admin.password)

async function signedIn({ sso, firstRun }: Product, email: string, password: string): Promise<Somebody> {
  const headers = { 'x-sso-site-key': firstRun.sites['learning']?.site_key ?? '' }
  const { status, body } = await call(`${sso}/api/v1/auth/login`, { headers, body: { email, password } })
  assert.equal(status, 200, JSON.stringify(body))
  const access_token = String(body['access_token'])
  return { email, access_token, headers: { authorization: `Bearer ${access_token}` } }
}

/** The cookie that the hosted sign-in sets; a window with it is signed in as that person. */
export const cookieOf = ({ learning }: Product, { access_token }: Somebody) => ({
  name: 'access_token',
  value: access_token,
  url: learning,
  httpOnly: true,
})

// Tests read any field of any reply. A wrong guess of the shape fails the assertion that reads it.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

/** Calls the learning service; fails unless the call succeeds. */
export async function ask(product: Product, who: Somebody, path: string, body?: unknown, method?: string) {
  const answer = await call(`${product.learning}${path}`, {
    headers: who.headers,
    ...(body !== undefined && { body }),
    ...(method !== undefined && { method }),
  })
  assert.ok(answer.status < 300, `${method ?? ''} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as Body
}

const TRANSCRIPT = `When we look at a star we look into the past. Light from the Sun is eight minutes old; light from Sirius left it almost nine years ago.

To measure how far a near star is, we wait half a year. The Earth moves to the other side of its orbit, and the star seems to move against those behind it. That small angle is its parallax.

A star whose parallax is one second of arc is one parsec away, a little more than three light years. None is as near as that.`

const ASTRONOMY = [
  ['How far away is that?', 1260, 'Parallax, the parsec, and why distances come first.'],
  ['What starlight tells us', 1515, 'Colour, temperature and the lines in a spectrum.'],
  ['The life of a star', 1742, 'From a cloud of gas to a white dwarf, or something stranger.'],
  ['Our galaxy from the inside', 1388, 'Mapping a city from one of its windows.'],
  ['An expanding universe', 1604, 'Redshift, Hubble and what it means that everything recedes.'],
  ['Planets around other suns', 1297, 'Two ways to find what nobody can see.'],
  ['Observing for yourself', 905, 'A sky map, a dark place and twenty minutes of patience.'],
] as const

const OTHERS = [
  [
    'Linear Algebra, Visually',
    'Vectors, maps and determinants as pictures first and formulas afterwards.',
    'en',
    'intermediate',
    14,
  ],
  [
    'Everyday German, A1',
    'Greetings, shopping, trains and the weather, in twenty short lessons.',
    'de',
    'beginner',
    20,
  ],
  [
    'Data School',
    'Data science in Python for people at all levels of knowledge and experience. Notebooks are on `GitHub <https://github.com/justmarkham>`__.',
    'en',
    'beginner',
    18,
  ],
  ['The Chemistry of Cooking', 'Why onions brown, dough rises and sauces break.', 'en', 'all', 9],
  ['مدخل إلى علم الفلك', 'دورة قصيرة للمبتدئين عن النجوم والمجرات.', 'ar', 'beginner', 6],
  [
    'A History of Architecture',
    'Ten buildings, from the Parthenon to the Sydney Opera House.',
    'en',
    'all',
    10,
  ],
  ['Academic Writing', 'Say one thing at a time, and show where you know it from.', 'en', 'intermediate', 8],
  ['Music Theory from Scratch', 'Rhythm, scales and chords, with nothing but a voice.', 'en', 'beginner', 12],
  ['Field Botany', 'Thirty plant families that you can tell apart on a walk.', 'en', 'all', 15],
  ['Statistics for the Curious', 'What a number can say, and what it cannot.', 'en', 'beginner', 11],
  ['Modern JavaScript', 'The language as it is today, without a framework.', 'en', 'advanced', 16],
  ['Reading Old Maps', 'Projections, scales and the monsters at the edge.', 'en', 'all', 5],
] as const

export type Campus = Awaited<ReturnType<typeof aCampus>>

/**
 * A school in mid-term, with data for every page: a teacher with channels (one of them complete), a learner halfway
 * through that one, and other learners. `video_url` must be a file that plays.
 */
export async function aCampus(product: Product, video_url: string) {
  const [admin, teacher, learner] = await Promise.all([
    theAdmin(product),
    somebody(product, 'jonas.weber@example.org'),
    somebody(product, 'mira.okafor@example.org'),
  ])
  const other = []
  for (const [title, description, language, level, episodes] of OTHERS) {
    const channel = await ask(product, admin, '/api/channels', {
      title,
      description,
      language,
      level,
      episodes: Array.from({ length: episodes }, (_, i) => ({
        title: `${title}, part ${i + 1}`,
        video: { url: video_url, duration_seconds: 420 + ((i * 137) % 900) },
      })),
    })
    other.push(channel)
  }
  const channel = await ask(product, teacher, '/api/channels', {
    title: 'Introductory Astronomy',
    description:
      'Seven evenings under the sky, without a telescope. We begin with the oldest question, **how far away is that?**, and end with planets around other suns.\n\nYou need no mathematics beyond fractions. Bring:\n\n- a pencil and paper for the homework\n- ten minutes after each episode for the quiz',
    language: 'en',
    level: 'beginner',
    category: 'Science',
    tags: ['astronomy', 'physics'],
    episodes: ASTRONOMY.map(([title, seconds, description], i) => ({
      title,
      description,
      authors: ['Jonas Weber'],
      ...(i === 6 && { status: 'draft' }),
      video: {
        url: video_url,
        duration_seconds: seconds,
        transcript: i < 3 ? TRANSCRIPT : '',
        chapters: [
          { start_seconds: 0, title: 'The question' },
          { start_seconds: Math.round(seconds * 0.2), title: 'An experiment with two fingers' },
          { start_seconds: Math.round(seconds * 0.55), title: 'From the Earth’s orbit to a parsec' },
          { start_seconds: Math.round(seconds * 0.85), title: 'What we still do not know' },
        ],
      },
    })),
  })
  const [first, second, third] = channel.episodes as Body[]
  const homework = await ask(product, teacher, `/api/episodes/${first.id}/homework`, {
    title: 'Measure a distance by parallax',
    instructions:
      'Hold a pencil at arm’s length and look at it with one eye, then the other.\n\n1. Note how far it seems to move against something behind it.\n2. Work out how long your arm is from that angle.\n3. Say in **two sentences** where your result is off, and why.\n\nA photo of your sketch is welcome; put it anywhere and send the link.',
    max_score: 20,
    submission_types: ['text', 'url'],
    due_at: inHours(30),
    rubric: [
      { criterion: 'The angle is measured and given with its unit', max_points: 8 },
      { criterion: 'The distance follows from it', max_points: 8 },
      { criterion: 'Sources of error are named', max_points: 4 },
    ],
  })
  const observed = await ask(product, teacher, `/api/episodes/${second.id}/homework`, {
    title: 'Three stars and their colours',
    instructions: 'Pick three bright stars, write down their colours and order them by temperature.',
    max_score: 10,
    due_at: inHours(100),
  })
  const test = await ask(product, teacher, `/api/episodes/${first.id}/tests`, {
    title: 'Distances',
    description: 'Seven questions, one of each kind. Take a pencil.',
    max_attempts: 3,
    time_limit_seconds: 900,
    feedback_policy: 'per_question',
  })
  await ask(product, teacher, `/api/episodes/tests/${test.id}/questions`, { questions: QUESTIONS })
  const quiz = await ask(product, teacher, `/api/episodes/${third.id}/tests`, {
    title: 'The life of a star',
    feedback_policy: 'per_question',
  })
  await ask(product, teacher, `/api/episodes/tests/${quiz.id}/questions`, { questions: SEVEN.slice(0, 3) })

  const watch = (who: Somebody, episode_id: string, to: number) =>
    ask(product, who, '/api/progress', { episode_id, position_seconds: to, segments: [[0, to]] })
  const names = ['ben', 'chidi', 'dana', 'elif', 'farid', 'greta', 'hiro', 'ines']
  const others = await Promise.all(names.map((name) => somebody(product, `${name}@example.org`)))
  for (const [i, who] of others.entries()) {
    await watch(who, first.id, 1260 - i * 130)
    if (i % 2 === 0) await watch(who, second.id, 900 - i * 80)
    await ask(product, who, `/api/episodes/homework/${homework.id}/submit`, {
      text: `My arm is ${60 + i} cm long. The pencil moved by about ${5 + (i % 3)} degrees; I measured it against the books on the shelf behind it.`,
    })
    await answer(product, who, test.id, i)
  }
  await watch(learner, first.id, 1230)
  await watch(learner, second.id, 1002)
  await answer(product, learner, test.id, 1)
  const handed_in = await ask(product, learner, `/api/episodes/homework/${observed.id}/submit`, {
    text: 'Sirius is white, Betelgeuse orange, Rigel bluish. So: Rigel, Sirius, Betelgeuse, the hottest first.',
  })
  await ask(
    product,
    teacher,
    `/api/episodes/homework/submissions/${handed_in.id}/grade`,
    {
      score: 9,
      feedback:
        'Well observed, and in the right order. What made you say *bluish* of Rigel rather than white?',
    },
    'PUT',
  )
  for (const [i, joined] of other.slice(0, 4).entries()) {
    await ask(product, learner, '/api/enroll', { channel_id: joined.id })
    if (i < 3) await watch(learner, joined.episodes[0].id, 200 + i * 90)
  }
  for (const agent of ['content', 'engagement']) await ask(product, admin, `/api/innovation/run/${agent}`, {})
  return {
    product,
    admin,
    teacher,
    learner,
    channel_id: String(channel.id),
    episode_id: String(first.id),
    second_episode_id: String(second.id),
    homework_id: String(homework.id),
    graded_homework_id: String(observed.id),
    test_id: String(test.id),
    quiz_id: String(quiz.id),
    quiz_episode_id: String(third.id),
  }
}

const QUESTIONS = [
  {
    type: 'single_choice',
    prompt: 'How old is the light of the Sun when it reaches us?',
    options: [
      { text: 'A blink' },
      { text: 'Eight minutes', correct: true },
      { text: 'A day' },
      { text: 'Nine years' },
    ],
  },
  {
    type: 'multiple_choice',
    prompt: 'Which of these are units of *length*?',
    points: 2,
    options: [
      { text: 'Parsec', correct: true },
      { text: 'Light year', correct: true },
      { text: 'Second of arc' },
      { text: 'Hertz' },
    ],
  },
  { type: 'true_false', prompt: 'A nearer star has a larger parallax.', correct: true },
  { type: 'short_answer', prompt: 'Which star is the nearest to us?', accepted: [{ text: '*Sun' }] },
  {
    type: 'numeric',
    prompt: 'How far is a star with a parallax of 0.5″?',
    unit: 'pc',
    accepted: [{ value: '2' }],
  },
  {
    type: 'matching',
    prompt: 'What is measured how?',
    points: 3,
    pairs: [
      { left: 'The Moon', right: 'by laser' },
      { left: 'A near star', right: 'by parallax' },
      { left: 'A far galaxy', right: 'by redshift' },
    ],
  },
  { type: 'ordering', prompt: 'From near to far', items: ['Moon', 'Sun', 'Sirius', 'Andromeda'] },
]

/** Takes the test and leaves every third question unanswered; `luck` shifts which ones. */
async function answer(product: Product, who: Somebody, test_id: string, luck: number) {
  const { items } = await ask(
    product,
    who,
    `/api/episodes/tests/${test_id}/questions?per_page=100&view=student`,
  )
  const answers = (items as Body[]).map((question, i) => ({
    question_id: question.id,
    answer: (luck + i) % 3 === 0 ? undefined : guess(question),
  }))
  await ask(product, who, `/api/episodes/tests/${test_id}/attempt`, { answers })
}

function guess(question: Body): unknown {
  const ids = (list: Body[]) => list.map(({ id }) => id)
  const pick = (text: string) => question.options.find((option: Body) => option.text === text)?.id
  switch (question.type) {
    case 'single_choice':
      return pick('Eight minutes')
    case 'multiple_choice':
      return [pick('Parsec'), pick('Light year')]
    case 'true_false':
      return true
    case 'short_answer':
      return 'the Sun'
    case 'numeric':
      return '2'
    case 'matching':
      return Object.fromEntries(ids(question.lefts).map((id, i) => [id, ids(question.rights)[i]]))
    default:
      return ids(question.items)
  }
}
