// A small bot on discord.js: a second, independent client, so that the sandbox is not merely what hikari needs.
const [, , library, api, token, guild] = process.argv;
const {
  ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits, MessageFlags, ModalBuilder,
  StringSelectMenuBuilder, TextInputBuilder, TextInputStyle, ContainerBuilder, TextDisplayBuilder,
} = require(library);

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
  rest: { api },
});

client.once(Events.ClientReady, async () => {
  await client.application.commands.set([{ name: "status", description: "What runs" }], guild);
  const channel = client.guilds.cache.get(guild).channels.cache.find((each) => each.name === "general");
  await channel.send(`ready in ${client.guilds.cache.get(guild).name}`);
});

client.on(Events.MessageCreate, async (message) => {
  if (message.author.bot) return;
  const buttons = new ActionRowBuilder().addComponents(
    new ButtonBuilder().setCustomId("allow").setLabel("Allow").setStyle(ButtonStyle.Success),
    new ButtonBuilder().setCustomId("form").setLabel("Deny…").setStyle(ButtonStyle.Danger),
  );
  const menu = new ActionRowBuilder().addComponents(
    new StringSelectMenuBuilder().setCustomId("menu").setPlaceholder("Which?")
      .addOptions({ label: "One", value: "1" }, { label: "Two", value: "2" }),
  );
  if (message.content === "thread") {
    const thread = await message.startThread({ name: "A thread" });
    await thread.send("in the thread");
    await thread.setName("Renamed");
    await thread.setArchived(true);
  } else if (message.content === "card") {
    const card = new ContainerBuilder().addTextDisplayComponents(new TextDisplayBuilder().setContent("a card"));
    await message.channel.send({ components: [card], flags: MessageFlags.IsComponentsV2 });
  } else {
    const attached = [...message.attachments.values()].map((each) => each.name).join();
    await message.reply({ content: `you said ${message.content}${attached}`, components: [buttons, menu] });
  }
});

client.on(Events.InteractionCreate, async (interaction) => {
  if (interaction.isChatInputCommand()) {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.editReply("all is well");
    await interaction.followUp({ content: "and more", flags: MessageFlags.Ephemeral });
  } else if (interaction.isStringSelectMenu()) {
    await interaction.reply({ content: `chose ${interaction.values}`, flags: MessageFlags.Ephemeral });
  } else if (interaction.isButton() && interaction.customId === "allow") {
    await interaction.update({ content: `allowed by ${interaction.user.username}`, components: [] });
  } else if (interaction.isButton()) {
    const why = new TextInputBuilder().setCustomId("why").setLabel("Why?").setStyle(TextInputStyle.Paragraph);
    await interaction.showModal(
      new ModalBuilder().setCustomId("why").setTitle("Deny").addComponents(new ActionRowBuilder().addComponents(why)),
    );
  } else if (interaction.isModalSubmit()) {
    await interaction.update({ content: `denied: ${interaction.fields.getTextInputValue("why")}`, components: [] });
  }
});

client.login(token);
