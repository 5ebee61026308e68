<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- MODS 3 to DIM: the first mods:mods of the document. Types that are one word of small letters become qualifiers. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:mods="http://www.loc.gov/mods/v3" exclude-result-prefixes="mods">

  <!-- type of relatedItem -> qualifier of dc.relation -->
  <xsl:variable name="related" select="concat(' host=ispartof series=ispartofseries otherVersion=isversionof otherFormat=isformatof',
    ' isReferencedBy=isreferencedby references=references preceding=replaces succeeding=isreplacedby constituent=haspart ')"/>

  <xsl:template match="/">
    <xsl:if test="not(//mods:mods)"><xsl:message terminate="yes">not MODS: it has no mods:mods</xsl:message></xsl:if>
    <dim:dim><xsl:apply-templates select="(//mods:mods)[1]/mods:*"/></dim:dim>
  </xsl:template>

  <xsl:template match="mods:*"/>

  <xsl:template match="mods:titleInfo">
    <dim:field mdschema="dc" element="title">
      <xsl:if test="@type"><xsl:attribute name="qualifier">alternative</xsl:attribute></xsl:if>
      <xsl:apply-templates select="." mode="title"/>
    </dim:field>
  </xsl:template>

  <xsl:template match="mods:titleInfo" mode="title">
    <xsl:if test="mods:nonSort"><xsl:value-of select="concat(mods:nonSort, ' ')"/></xsl:if>
    <xsl:value-of select="normalize-space(mods:title)"/>
    <xsl:if test="normalize-space(mods:subTitle) != ''"><xsl:value-of select="concat(': ', mods:subTitle)"/></xsl:if>
  </xsl:template>

  <xsl:template match="mods:name">
    <xsl:variable name="role" select="translate(normalize-space(mods:role/mods:roleTerm[1]), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"/>
    <dim:field mdschema="dc" element="contributor">
      <xsl:choose>
        <xsl:when test="$role = 'aut' or $role = 'cre' or $role = 'creator'"><xsl:attribute name="qualifier">author</xsl:attribute></xsl:when>
        <xsl:when test="$role = 'edt'"><xsl:attribute name="qualifier">editor</xsl:attribute></xsl:when>
        <xsl:when test="$role = 'ths'"><xsl:attribute name="qualifier">advisor</xsl:attribute></xsl:when>
        <xsl:when test="$role = 'ill'"><xsl:attribute name="qualifier">illustrator</xsl:attribute></xsl:when>
        <xsl:when test="$role != ''"><xsl:call-template name="qualifier"><xsl:with-param name="type" select="$role"/></xsl:call-template></xsl:when>
      </xsl:choose>
      <xsl:choose>
        <xsl:when test="mods:namePart[@type = 'family']">
          <xsl:value-of select="normalize-space(mods:namePart[@type = 'family'])"/>
          <xsl:for-each select="mods:namePart[@type = 'given']">
            <xsl:choose><xsl:when test="position() = 1">, </xsl:when><xsl:otherwise><xsl:text> </xsl:text></xsl:otherwise></xsl:choose>
            <xsl:value-of select="normalize-space()"/>
          </xsl:for-each>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="mods:namePart[not(@type = 'date')]"/></xsl:otherwise>
      </xsl:choose>
    </dim:field>
  </xsl:template>

  <xsl:template match="mods:abstract"><dim:field mdschema="dc" element="description" qualifier="abstract"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:tableOfContents"><dim:field mdschema="dc" element="description" qualifier="tableofcontents"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:note"><dim:field mdschema="dc" element="description"><xsl:call-template name="typed"/></dim:field></xsl:template>

  <xsl:template match="mods:originInfo"><xsl:apply-templates select="mods:*" mode="origin"/></xsl:template>
  <xsl:template match="mods:*" mode="origin"/>
  <xsl:template match="mods:publisher" mode="origin"><dim:field mdschema="dc" element="publisher"><xsl:value-of select="."/></dim:field></xsl:template>
  <!-- Of two dates that bound a time the first is taken. -->
  <xsl:template match="mods:dateIssued[not(@point = 'end')]" mode="origin"><dim:field mdschema="dc" element="date" qualifier="issued"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:dateCreated[not(@point = 'end')]" mode="origin"><dim:field mdschema="dc" element="date" qualifier="created"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:copyrightDate[not(@point = 'end')]" mode="origin"><dim:field mdschema="dc" element="date" qualifier="copyright"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:dateModified[not(@point = 'end')]" mode="origin"><dim:field mdschema="dc" element="date" qualifier="modified"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:dateOther[not(@point = 'end')]" mode="origin"><dim:field mdschema="dc" element="date"><xsl:call-template name="typed"/></dim:field></xsl:template>

  <xsl:template match="mods:genre"><dim:field mdschema="dc" element="type"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="mods:typeOfResource[not(../mods:genre)]"><dim:field mdschema="dc" element="type"><xsl:value-of select="."/></dim:field></xsl:template>

  <xsl:template match="mods:language">
    <xsl:for-each select="mods:languageTerm">
      <dim:field mdschema="dc" element="language">
        <xsl:choose>
          <xsl:when test="starts-with(@authority, 'iso639')"><xsl:attribute name="qualifier">iso</xsl:attribute></xsl:when>
          <xsl:when test="starts-with(@authority, 'rfc')"><xsl:attribute name="qualifier">rfc3066</xsl:attribute></xsl:when>
        </xsl:choose>
        <xsl:value-of select="."/>
      </dim:field>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="mods:physicalDescription">
    <xsl:for-each select="mods:extent"><dim:field mdschema="dc" element="format" qualifier="extent"><xsl:value-of select="."/></dim:field></xsl:for-each>
    <xsl:for-each select="mods:internetMediaType"><dim:field mdschema="dc" element="format" qualifier="mimetype"><xsl:value-of select="."/></dim:field></xsl:for-each>
    <xsl:for-each select="mods:form"><dim:field mdschema="dc" element="format"><xsl:value-of select="."/></dim:field></xsl:for-each>
  </xsl:template>

  <xsl:template match="mods:subject">
    <xsl:for-each select="mods:*">
      <xsl:choose>
        <xsl:when test="self::mods:geographic"><dim:field mdschema="dc" element="coverage" qualifier="spatial"><xsl:value-of select="."/></dim:field></xsl:when>
        <xsl:when test="self::mods:temporal"><dim:field mdschema="dc" element="coverage" qualifier="temporal"><xsl:value-of select="."/></dim:field></xsl:when>
        <xsl:otherwise>
          <dim:field mdschema="dc" element="subject">
            <xsl:call-template name="qualifier"><xsl:with-param name="type" select="../@authority"/></xsl:call-template>
            <xsl:value-of select="."/>
          </dim:field>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="mods:classification">
    <dim:field mdschema="dc" element="subject" qualifier="classification">
      <xsl:if test="@authority = 'lcc' or @authority = 'ddc'"><xsl:attribute name="qualifier"><xsl:value-of select="@authority"/></xsl:attribute></xsl:if>
      <xsl:value-of select="."/>
    </dim:field>
  </xsl:template>

  <xsl:template match="mods:relatedItem">
    <xsl:variable name="entry" select="concat(' ', @type, '=')"/>
    <xsl:variable name="qualifier" select="substring-before(substring-after($related, $entry), ' ')"/>
    <xsl:for-each select="mods:titleInfo">
      <dim:field mdschema="dc">
        <xsl:attribute name="element"><xsl:choose><xsl:when test="../@type = 'original'">source</xsl:when><xsl:otherwise>relation</xsl:otherwise></xsl:choose></xsl:attribute>
        <xsl:if test="../@type and $qualifier != ''"><xsl:attribute name="qualifier"><xsl:value-of select="$qualifier"/></xsl:attribute></xsl:if>
        <xsl:apply-templates select="." mode="title"/>
      </dim:field>
    </xsl:for-each>
    <xsl:for-each select="mods:location/mods:url | mods:identifier[@type = 'uri']">
      <dim:field mdschema="dc" element="relation" qualifier="uri"><xsl:value-of select="."/></dim:field>
    </xsl:for-each>
    <xsl:for-each select="mods:part/mods:text">
      <dim:field mdschema="dc" element="identifier" qualifier="citation"><xsl:value-of select="."/></dim:field>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="mods:identifier">
    <dim:field mdschema="dc" element="identifier">
      <xsl:choose>
        <xsl:when test="@type = 'hdl'"><xsl:attribute name="qualifier">uri</xsl:attribute><xsl:value-of select="."/></xsl:when>
        <xsl:otherwise><xsl:call-template name="typed"/></xsl:otherwise>
      </xsl:choose>
    </dim:field>
  </xsl:template>

  <xsl:template match="mods:location[not(../mods:identifier[@type = 'uri' or @type = 'hdl'])]">
    <xsl:for-each select="mods:url"><dim:field mdschema="dc" element="identifier" qualifier="uri"><xsl:value-of select="."/></dim:field></xsl:for-each>
  </xsl:template>

  <xsl:template match="mods:accessCondition"><dim:field mdschema="dc" element="rights"><xsl:call-template name="typed"/></dim:field></xsl:template>

  <xsl:template name="typed">
    <xsl:call-template name="qualifier"><xsl:with-param name="type" select="@type"/></xsl:call-template>
    <xsl:value-of select="."/>
  </xsl:template>

  <xsl:template name="qualifier">
    <xsl:param name="type"/>
    <xsl:if test="$type != '' and translate($type, 'abcdefghijklmnopqrstuvwxyz0123456789', '') = ''">
      <xsl:attribute name="qualifier"><xsl:value-of select="$type"/></xsl:attribute>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
