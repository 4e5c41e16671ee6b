/**
 * Passwords that guessers try first, of the eight characters and more that are accepted at all, in lower case. The
 * sso refuses them with `password_too_common` and asks for no other composition.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
    !@#$%^&* !@#$%^&*() !qaz2wsx !qaz@wsx 00000000 000000000 0000000000 000111222 007007007 01234567
    012345678 0123456789 01234567890 0147258369 0987654321 1!2@3#4$ 10101010 10203040 1020304050 11111111
    111111111 1111111111 11111111a 1111aaaa 111222333 111222333444 11223344 1122334455 112233445566 12121212
    121212121 1212121212 12312312 123123123 123123123123 1231231234 12332112 123321123 123321123321 12341234
    12344321 123451234 1234512345 123454321 1234554321 123456123456 123456654321 12345678 123456780
    123456788 123456789 1234567890 12345678901 123456789012 1234567890a 1234567890q 1234567891 12345678910
    1234567899 123456789a 123456789abc 123456789q 12345678a 12345678q 12345679 1234567a 1234567q 123456987
    1234569870 123456aa 123456ab 123456abc 123456qwerty 12345qwert 1234abcd 1234asdf 1234qwer 123698745
    1236987450 123789456 123abc123 123abcde 123qwe123 123qwe123qwe 123qweasd 123qweasdzxc 12qwaszx 13131313
    1357913579 13579246 135792468 1357924680 147258369 147852369 1478523690 147896325 159357456 159753159
    159753456 1597534682 19871987 19901990 1a2b3c4d 1a2s3d4f 1q2w3e4r 1q2w3e4r! 1q2w3e4r5t 1q2w3e4r5t6y
    1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 20002000 20102010 20202020 20202021 21212121 22222222
    222333444 23232323 24681012 246813579 24682468 25252525 258456258 2wsx3edc 31415926 314159265 321321321
    33333333 333666999 3edc4rfv 42424242 44444444 456456456 456789123 520131400 5201314a 55555555
    654321654321 66666666 69696969 741852963 7654321a 77777777 77778888 777888999 78787878 78945612
    789456123 789456123a 80808080 852456852 87654321 88888888 888888888 90909090 963258741 963852741
    98765432 987654321 9876543210 99887766 998877665544 99999999 999999999 a1234567 a12345678 a123456789
    a1b2c3d4 a1b2c3d4e5 a1s2d3f4 aa112233 aa123456 aa12345678 aaa111222 aaaaaaaa aaaaaaaaa aaaaaaaaaa
    ab123456 ab12345678 abc12345 abc123456 abc1234567 abc12345678 abc123abc abcabcabc abcd1234 abcd12345
    abcd123456 abcdabcd abcdef123 abcdefg1 abcdefgh abcdefghi academia access123 access14 admin!23 admin123
    admin1234 admin12345 admin123456 admin@123 adminadmin administrador administrateur administrator
    aladdin1 alejandra alejandro alessandra alessandro alexander alexander1 alexandra alladin1 allah123
    america1 american amoremio andrew123 android1 android123 angel123 angel1234 angels123 anthony1 arsenal1
    arsenal123 as123456 as12345678 asd12345 asd123456 asd123asd asdf1234 asdf;lkj asdfasdf asdfgh123
    asdfghjk asdfghjkl asdfjkl; asdqwe123 asdzxc123 ashley12 ashley123 assassin assassin1 asshole1 australia
    autumn123 autumn2023 autumn2024 autumn2025 avengers az123456 azerty123 azertyui azertyuiop babyblue
    babyboy1 babygirl babygirl1 babygirl12 bananas1 barcelona barcelona1 baseball baseball1 baseball123
    basketball basketball1 batman12 batman123 beautiful beautiful1 beckham7 benfica1 benjamin benjamin1
    besiktas bestfriend birthday birthday1 bismillah bitch123 blablabla blackbird blahblah blessed1 blessing
    blink182 blueberry bluebird bonjour1 bonjour123 borussia brandon1 brasil123 bullshit business business1
    butterfly butterfly1 california canada123 captain1 caroline cassandra catherine changeit changeme
    changeme1 changeme123 charlie1 charlie123 charlotte cheese12 chelsea1 chelsea123 chevrolet chocolat
    chocolate chocolate1 chocolate123 christian christian1 christine christmas christmas1 christopher
    ciaociao cinderella classroom college1 company1 company123 computer computer1 computer12 computer123
    contrasena contrasena1 contraseña contraseña1 cookie123 corporate corvette cowboys1 cristiano crystal1
    cupcakes dadadada dancing1 daniel12 daniel123 danielle database deadpool deadpool1 deathnote december
    default1 default123 demo1234 demodemo deutschland diamond1 diamonds dollars1 dolphin1 dolphins dominique
    donaldduck doudou123 dragon12 dragon123 dragon1234 dragonball dragonballz drummer1 eagles123 education
    einstein elephant elephant1 elizabeth elizabeth1 emerald1 eminem123 england1 espana123 estrella
    estrella1 example1 facebook facebook1 facebook123 familia1 family123 father123 february fenerbahce
    fernandez fernando ferrari1 football football1 football12 football123 forever1 forever123 forever21
    fortnite fortnite1 france123 francesca francesca1 francesco francisco freedom1 freedom123 friends1
    friends123 friendship fuckoff1 fuckyou! fuckyou1 fuckyou123 fuckyou2 fussball gabriel1 gabriella
    galatasaray gamer123 ganesha1 garfield garfield1 germany1 germany123 giovanni giuseppe gladiator
    gmail123 god12345 godbless godisgood godzilla goldfish gonzalez goodbye1 goodluck goodmorning google123
    gorgeous greenday guadalupe guest123 guest1234 guitar123 haha1234 hahahaha hallelujah hallo123 hallo1234
    hallo12345 hallohallo halloween handball handsome happiness happy123 happy1234 happyday harley123
    haslo123 heaven123 hello123 hello123! hello1234 hello12345 hellohello hellokitty helloworld helpdesk
    hercules hercules1 heslo123 hockey123 holidays holland1 hollywood homework homework1 honey123 hotmail1
    hotmail123 hunter12 hunter123 ichliebedich ilovegod iloveher ilovehim ilovejesus iloveme1 ilovemom
    ilovemyself iloveu123 iloveyou iloveyou! iloveyou1 iloveyou12 iloveyou123 iloveyou2 imissyou instagram
    internet internet1 internet123 iphone123 ireland1 ironman1 ironman123 isabella isabelle istanbul
    jaimatadi jamaica1 january1 jasmine1 jennifer jennifer1 jessica1 jessica123 jesus123 jesus777
    jesuschrist jetaime1 jonathan jonathan1 jordan123 jordan23 joseph123 joshua12 joshua123 juventus
    juventus1 kangaroo katherine kawasaki killer12 killer123 killme123 kittycat kochanie kochanie1 krishna1
    lakers123 lakers24 lalala123 lalalala learning learning1 leonardo leonardo1 leopard1 letmein! letmein1
    letmein12 letmein123 letmeinnow liberty1 library1 lightning linkedin linkinpark lions123 liverpool
    liverpool1 liverpool123 lkjhgfdsa login123 loginlogin lol12345 lollol123 london123 losangeles losenord
    loulou123 love1234 love12345 loveforever lovelove lovely123 loveme123 lover123 loveyou1 lucky123
    lucky777 lyceum123 lösenord m123456789 madison1 mamapapa manager1 manager123 manchester manchester1
    margaret mariposa marseille martinez master12 master123 masterkey matrix123 matthew1 matthew123 melissa1
    mercedes mercedes1 messi1010 messi123 metallica metallica1 mexico123 miamor123 michael1 michael123
    michelle michelle1 mickey123 mickeymouse microsoft microsoft1 midnight midnight1 millionaire minecraft
    minecraft1 misiek123 mnbvcxz1 mommy123 money123 moneymoney monkey12 monkey123 monkey1234 moonlight
    motdepasse motdepasse1 mother123 motherfucker music123 musica123 mustang1 mustang123 mylove123 mypass123
    mypassword mysecret nananana napoleon napoli1926 naruto123 network1 network123 newpass1 newpass123
    newpassword newyork1 newyork123 neymar11 neymar123 nicholas nicole123 nintendo nirvana1 nopassword
    nothing1 november october1 office123 opensesame oracle123 p@ssw0rd p@ssw0rd! p@ssw0rd1 p@ssword
    p@ssword1 pa$$w0rd pa$$word pakistan pakistan1 pakistan123 panther1 panthers paradise paris123 parola123
    passw0rd passw0rd! passw0rd1 password password! password01 password02 password1 password1! password12
    password123 password1234 password12345 password123456 password2 password2019 password2020 password2021
    password2022 password2023 password2024 password2025 password2026 password3 password7 password9
    password99 passwords passwort passwort1 passwort12 passwort123 patricia patrick1 patriots peace123
    penelope penguin1 philippe philippines phoenix1 phoenix123 pikachu1 pineapple platinum playstation
    poiuytrewq pokemon1 pokemon12 pokemon123 polska123 porsche1 porsche911 portugal poseidon precious
    precious1 predator predator1 prince123 princesa princesa1 princess princess1 princess12 princess123
    pussy123 pussycat q12345678 q123456789 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc qazwsxedcrfv
    qazxswedc qq123456 qqqqqqqq qw123456 qwaszx12 qwe!@#123 qwe12345 qwe123qwe qweasd123 qweasdzxc qweqweqwe
    qwer1234 qwer4321 qwerty1! qwerty12 qwerty123 qwerty123! qwerty1234 qwerty12345 qwerty123456 qwertyasdf
    qwertyqwerty qwertyui qwertyuio qwertyuiop qwertz12 qwertz123 qwertzui qwertzuiop rainbow1 rainbow123
    ranger12 raspberry realmadrid rebecca1 redsox123 ricardo1 robert123 roberto1 roblox123 rocknroll
    rockstar rockstar1 rodriguez ronaldo07 ronaldo123 ronaldo7 root1234 root123456 rootroot russia123
    s123456789 sairam123 salasana samantha samantha1 sample123 samsung1 samsung123 sanchez1 sapphire
    saturday schalke04 schatz123 school12 school123 scooby12 scoobydoo scorpion scorpion1 scotland sebastian
    sebastian1 secret12 secret123 secret1234 security security1 security123 senha123 september server123
    service1 sexy1234 sexygirl sexylady shadow12 shadow123 shadow1234 simpsons singapore slipknot slipknot1
    smile123 snoopy123 snowball snowman1 soccer12 soccer123 softball softball1 soleil123 sonnenschein
    spiderman spiderman1 spongebob spring12 spring123 spring2020 spring2021 spring2022 spring2023 spring2024
    spring2025 spring2026 squirrel starlight startrek starwars starwars1 starwars123 steelers steelers1
    stephanie strawberry student1 student123 sugar123 summer01 summer12 summer123 summer2020 summer2021
    summer2022 summer2023 summer2024 summer2025 summer2026 sunflower sunflower1 sunshine sunshine1
    sunshine12 sunshine123 superman superman1 superman123 superuser support1 support123 sweetheart sweetie1
    sweety123 sysadmin system32 teacher1 teacher123 teamo123 teamomucho temp1234 temppass temppass1 tequiero
    tequiero1 terminator test1234 test12345 test123456 tester123 testing1 testing123 testpass testtest
    testuser texas123 thomas123 thunder1 thunder123 thursday tiamo123 tiger123 tigers123 tinkerbell toor1234
    topsecret toulouse truelove trustme1 trustno1 turkey123 twitter1 university user1234 username username1
    valentin valentina vanessa1 veronica victoria victoria1 vietnam1 volleyball w123456789 wachtwoord
    wachtwoord1 wang1234 warrior1 warriors wednesday welcome! welcome01 welcome1 welcome1! welcome12
    welcome123 welcome2 welcome2019 welcome2020 welcome2021 welcome2022 welcome2023 welcome2024 welcome2025
    welcome2026 whatever whatever1 whatsapp whoknows william1 william123 windows1 windows10 windows11
    windows123 winniethepooh winter12 winter123 winter2020 winter2021 winter2022 winter2023 winter2024
    winter2025 winter2026 woaini123 woaini1314 woaini520 wolverine wsxedcrfv x123456789 xbox1234 xmen1234
    xxxxxxxx yahoo123 yamaha123 yankees1 youtube1 youtube123 z123456789 zaq12wsx zaq1xsw2 zaq1zaq1 zeus1234
    zx123456 zxasqw12 zxcasdqwe zxcasdqwe123 zxcvbnm, zxcvbnm1 zxcvbnm123 zxcvzxcv zz123456 zzzzzzzz
  `
    .trim()
    .split(/\s+/),
)
